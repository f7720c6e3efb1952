import CommandLineTool
import PTTMessages
import PulseAudio

/// The sound server, and the microphone that a press opens.
struct SoundFacts: Equatable, Sendable {
    /// A Bluetooth headset whose profile has no microphone, and the profile that has one.
    struct DeafHeadset: Equatable, Sendable {
        var card: String
        var profile: String
    }

    /// The name and version of the server.
    var server: String
    /// `microphone` of the configuration.
    var preferences: [String] = []
    /// The microphone that the core would record from now, or why there is none.
    var microphone: Result<AudioDevice, AudioError>
    var deafHeadset: DeafHeadset?
    /// Other applications that record.
    var recorders: [String] = []
    /// The other applications that record from a live microphone, while there is a Push-to-Talk Microphone.
    var liveRecorders: [String] = []

    /// The lines of the server and of its microphone. `units` are nil if the service manager has not
    /// answered, and `unheard` are the devices of the Push-to-Talk Microphone that the core has found to be
    /// silent.
    static func findings(
        _ facts: Result<SoundFacts, Silence>,
        _ units: SoundUnits?,
        _ unheard: [UnheardDevice] = []
    ) -> [Finding] {
        switch facts {
        case .success(let facts): facts.findings(units, unheard)
        case .failure(.timedOut):
            Check.sound.failure(
                Text("the sound server hangs: it does not answer"),
                cure: units?.restart ?? .command("systemctl --user restart pipewire-pulse")
            )
        case .failure(.unreachable(let reason)):
            Check.sound.failure(
                Text("there is no sound server: \(reason)"),
                cure: units?.start ?? .command("systemctl --user enable --now pipewire-pulse")
            )
        }
    }

    private func findings(_ units: SoundUnits?, _ unheard: [UnheardDevice]) -> [Finding] {
        let problems = units?.problems(server) ?? []
        var findings = problems.isEmpty ? Check.sound.ok(Text(verbatim: server)) : problems
        findings += microphoneFindings
        findings += unheard.flatMap { Check.microphone.warning($0.text, cure: .command($0.cure)) }
        if !recorders.isEmpty {
            findings += Check.microphone.ok(
                Text("also recording, which is no hindrance: \(recorders.joined(separator: ", "))")
            )
        }
        if !liveRecorders.isEmpty {
            findings += Check.microphone.warning(
                Text(
                    "\(liveRecorders.joined(separator: ", ")): not from the Push-to-Talk Microphone, but from a live "
                        + "one, which is heard also while nobody presses"
                ),
                cure: .advice(
                    Text("choose the Push-to-Talk Microphone there, if only presses are to be heard")
                )
            )
        }
        return findings
    }

    private var microphoneFindings: [Finding] {
        switch microphone {
        case .failure(let error):
            let (text, cure): (Text, Cure)
            if let deafHeadset {
                text = Text(
                    "the headset is used without its microphone: \(error.reason) (`bluetooth-headset` in pttd.toml)"
                )
                let (card, profile) = (ShellArgument(deafHeadset.card), ShellArgument(deafHeadset.profile))
                cure = .command("pactl set-card-profile \(card) \(profile)")
            } else if !preferences.isEmpty {
                text = Text("\(preferences.joined(separator: ", ")), which pttd.toml names: \(error.reason)")
                cure = .command("pactl list sources | grep -E 'Name:|Description:'")
            } else {
                text = Text("no microphone: \(error.reason)")
                cure = .advice(Text("plug a microphone in"))
            }
            return Check.microphone.failure(text, cure: cure)
        case .success(let found):
            let name = "\(found.description) (\(found.name))"
            if found.isMuted {
                return Check.microphone.failure(
                    Text("\(name) is muted in the sound server"),
                    cure: .command("pactl set-source-mute \(ShellArgument(found.name)) 0")
                )
            }
            if found.isSilent {
                return Check.microphone.failure(
                    Text("the volume of \(name) is zero"),
                    cure: .command("pactl set-source-volume \(ShellArgument(found.name)) 100%")
                )
            }
            if found.isUnplugged {
                return Check.microphone.warning(
                    Text("nothing seems to be plugged into \(name)"),
                    cure: .advice(Text("plug the microphone in"))
                )
            }
            return Check.microphone.ok(Text(verbatim: name))
        }
    }
}

/// The units of sound servers, which must run once.
struct SoundUnits: Equatable, Sendable {
    static let names = ["pipewire-pulse.socket", "pulseaudio.socket", "wireplumber.service"]

    var pipeWire: UnitFacts
    var pulseAudio: UnitFacts
    var sessionManager: UnitFacts

    var start: Cure {
        if pipeWire.load == "loaded" {
            return .command("systemctl --user enable --now pipewire-pulse.socket")
        }
        if pulseAudio.load == "loaded" { return .command("systemctl --user enable --now pulseaudio.socket") }
        return .install(.soundServer)
    }

    var restart: Cure {
        .command("systemctl --user restart \(pulseAudio.isActive ? "pulseaudio" : "pipewire-pulse").service")
    }

    /// None if the units are as they should be. `server` is the name of the server that answers.
    func problems(_ server: String) -> [Finding] {
        if pipeWire.isActive, pulseAudio.isActive {
            return Check.sound.warning(
                Text(
                    "PipeWire and PulseAudio both run: which of them has the microphone depends on their start"
                ),
                cure: .command("systemctl --user mask --now pulseaudio.socket pulseaudio.service")
            )
        }
        guard server.contains("PipeWire"), pipeWire.isActive, !sessionManager.isActive else { return [] }
        if sessionManager.load == "not-found" {
            return Check.sound.warning(
                Text("PipeWire has no session manager that is known here, and without one no microphone"),
                cure: .install(.sessionManager)
            )
        }
        return Check.sound.failure(
            Text("wireplumber does not run: PipeWire has no microphone without it"),
            cure: .command("systemctl --user enable --now wireplumber")
        )
    }
}

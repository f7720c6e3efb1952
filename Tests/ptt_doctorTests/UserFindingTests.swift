import PTTMessages
import Testing

@testable import PulseAudio
@testable import ptt_doctor

extension AudioDevice {
    fileprivate static func microphone(
        _ name: String = "alsa_input.usb",
        isMuted: Bool = false,
        isSilent: Bool = false,
        isUnplugged: Bool = false
    ) -> AudioDevice {
        AudioDevice(
            index: 1,
            name: name,
            description: "Desk Microphone",
            isMuted: isMuted,
            isSilent: isSilent,
            isMonitor: false,
            isOwn: false,
            isHardware: true,
            isUnplugged: isUnplugged,
            owner: DeviceOwner(module: nil, linkGroup: nil)
        )
    }
}

@Suite struct SoundFindingTests {
    private var facts = SoundFacts(
        server: "PulseAudio (on PipeWire 0.3.65)",
        microphone: .success(.microphone())
    )
    private var units = SoundUnits(
        pipeWire: UnitFacts(name: "pipewire-pulse.socket"),
        pulseAudio: UnitFacts(name: "pulseaudio.socket", load: "not-found", file: "", active: "inactive"),
        sessionManager: UnitFacts(name: "wireplumber.service")
    )
    private var findings: [Finding] { SoundFacts.findings(.success(facts), units) }

    @Test mutating func `a server and its microphone are two lines, and other recorders a third`() {
        #expect(findings.map(\.check) == [.sound, .microphone])
        facts.recorders = ["Chromium"]
        #expect(findings.map(\.check) == [.sound, .microphone, .microphone])
        #expect(problems(findings).isEmpty)
    }

    @Test mutating func `an application on a live microphone is named while there is a silent one`() {
        facts.liveRecorders = ["Mumble", "Chromium"]
        expect(
            findings,
            isFailure: false,
            curedBy: .advice(
                Text("choose the Push-to-Talk Microphone there, if only presses are to be heard")
            ),
            "Mumble, Chromium"
        )
    }

    @Test func `the Push-to-Talk Microphone or its feed is muted or turned down`() {
        func findings(_ device: UnheardDevice) -> [Finding] {
            SoundFacts.findings(.success(facts), units, [device])
        }
        expect(
            findings(UnheardDevice(name: "ptt_mic", isMuted: true)),
            isFailure: false,
            curedBy: .command("pactl set-source-mute ptt_mic 0"),
            "is muted in the sound server: nobody hears"
        )
        expect(
            findings(UnheardDevice(name: "ptt_feed", isFeed: true)),
            isFailure: false,
            curedBy: .command("pactl set-sink-volume ptt_feed 100%"),
            "the volume of what feeds the Push-to-Talk"
        )
    }

    @Test mutating func `a microphone that is muted, turned down or unplugged`() {
        facts.microphone = .success(.microphone(isMuted: true))
        expect(findings, curedBy: .command("pactl set-source-mute alsa_input.usb 0"), "muted")
        facts.microphone = .success(.microphone(isSilent: true))
        expect(findings, curedBy: .command("pactl set-source-volume alsa_input.usb 100%"), "zero")
        facts.microphone = .success(.microphone(isUnplugged: true))
        expect(findings, isFailure: false, curedBy: .advice(Text("plug the microphone in")), "plugged")
    }

    @Test mutating func `a name that a shell would obey is quoted`() {
        facts.microphone = .success(.microphone("a'; rm -rf ~ #", isMuted: true))
        let cure = Cure.command(#"pactl set-source-mute 'a'\''; rm -rf ~ #' 0"#)
        expect(findings, curedBy: cure, "muted")
        facts.microphone = .success(.microphone("", isMuted: true))
        expect(findings, curedBy: .command("pactl set-source-mute '' 0"), "muted")
    }

    @Test mutating func `no microphone: plug one in, correct the configuration, or use the headset's`() {
        facts.microphone = .failure(AudioError("open it", reason: "the audio server has none"))
        expect(findings, curedBy: .advice(Text("plug a microphone in")), "has none")
        facts.preferences = ["Studio"]
        #expect(problems(findings).first?.text.english.hasPrefix("Studio, which pttd.toml names") == true)
        facts.deafHeadset = .init(card: "bluez_card.1", profile: "headset-head-unit")
        let cure = Cure.command("pactl set-card-profile bluez_card.1 headset-head-unit")
        expect(findings, curedBy: cure, "without its microphone")
        expect(findings, curedBy: cure, "`bluetooth-headset` in pttd.toml")
    }

    @Test mutating func `a server that is not there is started or installed`() {
        func missing() -> [Finding] { SoundFacts.findings(.failure(.unreachable("refused")), units) }
        let start = Cure.command("systemctl --user enable --now pipewire-pulse.socket")
        expect(missing(), curedBy: start, "refused")
        (units.pipeWire, units.pulseAudio) = (units.pulseAudio, UnitFacts(name: "pulseaudio.socket"))
        expect(missing(), curedBy: .command("systemctl --user enable --now pulseaudio.socket"), "refused")
        units.pulseAudio.load = "not-found"
        expect(missing(), curedBy: .command("sudo apt install pipewire-pulse wireplumber"), "refused")
    }

    @Test func `a server that hangs is restarted`() {
        let hung = SoundFacts.findings(.failure(.timedOut), units)
        expect(hung, curedBy: .command("systemctl --user restart pipewire-pulse.service"), "hangs")
    }

    @Test mutating func `two servers, and PipeWire without its session manager`() {
        units.pulseAudio = UnitFacts(name: "pulseaudio.socket")
        let mask = Cure.command("systemctl --user mask --now pulseaudio.socket pulseaudio.service")
        expect(findings, isFailure: false, curedBy: mask, "both")
        units.pulseAudio.active = "inactive"
        units.sessionManager.active = "inactive"
        expect(findings, curedBy: .command("systemctl --user enable --now wireplumber"), "wireplumber")
        units.sessionManager.load = "not-found"
        expect(
            findings,
            isFailure: false,
            curedBy: .command("sudo apt install wireplumber"),
            "session manager"
        )
    }

    @Test func `a recording is heard, or silent`() {
        func finding(_ recording: RecordingFacts) -> Finding? { recording.findings.first }
        #expect(finding(.heard(peak: -12.4))?.text.english.contains("-12 dB") == true)
        #expect(finding(.heard(peak: RecordingFacts.quietest))?.isFailure == true)
        #expect(finding(.heard(peak: nil))?.isFailure == true)
        #expect(finding(.failed(reason: Text("it has gone")))?.isFailure == true)
    }
}

@Suite struct FileFindingTests {
    private var facts = FileFacts(
        configuration: .init(path: "/h/pttd.toml"),
        policies: [.init(path: "/etc/pushtotalk/policy.toml"), .init(path: "/h/policy.toml")],
        enrolments: .init(path: "/h/devices.toml"),
        state: .init(path: "/h/state", owner: 1000, mode: 0o700, isWritable: true, free: 1 << 30)
    )
    private var findings: [Finding] { FileFacts.findings(facts, userID: 1000) }

    @Test func `four kinds of files are four lines`() {
        #expect(findings.map(\.check) == [.configuration, .policy, .buttons, .state])
        #expect(problems(findings).isEmpty)
    }

    @Test mutating func `a file that cannot be used is opened in an editor`() {
        facts.configuration?.problem = "line 3, column 1: microphne is not known"
        let restart = "${EDITOR:-vi} /h/pttd.toml && systemctl --user restart pttd"
        expect(findings, curedBy: .command(restart), "line 3, column 1")
        facts.configuration?.problem = nil
        facts.enrolments?.problem = "line 1"
        expect(findings, curedBy: .command("${EDITOR:-vi} /h/devices.toml"), "/h/devices.toml: line 1")
        facts.enrolments?.problem = nil
        facts.policies[1].problem = "line 2"
        expect(findings, curedBy: .command("${EDITOR:-vi} /h/policy.toml"), "no application may join")
        facts.policies[0].problem = "line 1"
        expect(findings, curedBy: .command("sudo -e /etc/pushtotalk/policy.toml"), "line 1")
    }

    @Test mutating func `actions are a line once there are some, and a key wants a grant`() {
        facts.actions = .init(count: 2)
        #expect(findings.map(\.check) == [.configuration, .policy, .buttons, .actions, .state])
        #expect(problems(findings).isEmpty)
        facts.actions?.refusedKeys = ["KEY_F13"]
        expect(findings, curedBy: .command("sudo pttctl grant actions KEY_F13"), "KEY_F13")
        facts.actions?.unusable = .init(path: "/etc/pushtotalk/actions.toml", problem: "line 2")
        expect(findings, curedBy: .command("sudo -e /etc/pushtotalk/actions.toml"), "line 2")
    }

    @Test mutating func `a closed hour is a warning`() {
        facts.isClosed = true
        let cure = Cure.command("${EDITOR:-vi} /h/policy.toml")
        expect(findings, isFailure: false, curedBy: cure, "this hour")
    }

    @Test mutating func `a state directory that is missing, another's, open, read-only or full`() {
        let well = facts.state
        func set(_ change: (inout FileFacts.StateDirectory) -> Void) {
            var state = well
            if state != nil { change(&state!) }
            facts.state = state
        }
        set { $0.owner = nil }
        let make = Cure.command("mkdir -p -m 700 /h/state && systemctl --user restart pttd")
        expect(findings, isFailure: false, curedBy: make, "does not exist")
        set { $0.owner = 0 }
        expect(findings, curedBy: .command("sudo chown -R 1000 /h/state"), "user 0")
        set { $0.mode = 0o755 }
        expect(findings, isFailure: false, curedBy: .command("chmod 700 /h/state"), "755")
        set { $0.isWritable = false }
        expect(findings, curedBy: .command("findmnt --target /h/state"), "cannot be written")
        set { $0.free = 4096 }
        expect(findings, curedBy: .command("df -h /h/state"), "full")
    }

    @Test func `a disk that hangs is a failure`() {
        let hung = FileFacts.findings(nil, userID: 1000)
        expect(hung, curedBy: .command("findmnt --target \"$HOME\""), "does not answer")
    }
}

@Suite struct DesktopFindingTests {
    private var facts = DesktopFacts(
        desktop: "XFCE",
        hasPanel: true,
        hasNotifications: true,
        shortcutsVersion: nil,
        keyProxy: .absent
    )
    private var headsets: [String] = []
    private var findings: [Finding] { DesktopFacts.findings(.success(facts), headsets: headsets) }

    @Test mutating func `a desktop without a portal is well, and says that no key talks`() {
        #expect(problems(findings).isEmpty)
        #expect(findings.last?.text.english.hasPrefix("no key of the keyboard") == true)
        facts.isPortalAsleep = true
        #expect(problems(findings).isEmpty)
        #expect(findings.last?.text.english.hasPrefix("whether a key of the keyboard") == true)
        facts.shortcutsVersion = 1
        #expect(findings.last?.text == Text("a key of the keyboard can talk (GlobalShortcuts 1)"))
        facts.desktop = nil
        #expect(findings == Check.desktop.ok(Text("no desktop in this session")))
    }

    @Test mutating func `without a panel GNOME needs an extension, and others a plugin or a daemon`() {
        facts.hasPanel = false
        expect(
            findings,
            isFailure: false,
            curedBy: .advice(Text("add the tray or status plugin to the panel")),
            "notification only"
        )
        facts.hasNotifications = false
        expect(findings, isFailure: false, curedBy: .command("sudo apt install dunst"), "nothing shows")
        facts.desktop = "ubuntu:GNOME"
        let extensionCure = Cure.command("sudo apt install gnome-shell-extension-appindicator")
        expect(findings, isFailure: false, curedBy: extensionCure, "GNOME")
        facts.panelExtension = "ubuntu-appindicators@ubuntu.com"
        let enable = Cure.command("gnome-extensions enable ubuntu-appindicators@ubuntu.com")
        expect(findings, isFailure: false, curedBy: enable, "installed, and does not run")
    }

    @Test mutating func `a panel of Plasma that has gone is started again`() {
        (facts.desktop, facts.hasPanel, facts.isPanelGone) = ("KDE", false, true)
        let restart = Cure.command("systemctl --user restart plasma-plasmashell.service")
        expect(findings, isFailure: false, curedBy: restart, "does not run")
        #expect(DesktopFacts.isPanelGone(on: "KDE", names: ["org.kde.StatusNotifierWatcher"]))
        #expect(!DesktopFacts.isPanelGone(on: "KDE", names: ["org.kde.StatusNotifierHost-812"]))
        #expect(!DesktopFacts.isPanelGone(on: "XFCE", names: []))
    }

    @Test mutating func `a portal without a chosen key, or without what asks for one, lets no key talk`() {
        (facts.desktop, facts.shortcutsVersion, facts.keyObstacle) = ("KDE", 1, .notChosen)
        let choose = Text("choose a single key for Push to talk in Plasma's settings of shortcuts")
        expect(findings, isFailure: false, curedBy: .advice(choose), "none is chosen")
        (facts.desktop, facts.keyObstacle) = ("GNOME", .noSettings)
        let install = Cure.command("sudo apt install gnome-control-center")
        expect(findings, isFailure: false, curedBy: install, "are not installed")
        let asker: Set = ["org.gnome.Settings.GlobalShortcutsProvider"]
        #expect(DesktopFacts.lacksSettings(on: "ubuntu:GNOME", names: []))
        #expect(!DesktopFacts.lacksSettings(on: "ubuntu:GNOME", names: asker))
        #expect(!DesktopFacts.lacksSettings(on: "KDE", names: []))
    }

    @Test mutating func `mpris-proxy competes for the key of a Bluetooth headset`() {
        headsets = ["Jabra"]
        facts.keyProxy = .service
        let mask = Cure.command("systemctl --user mask --now mpris-proxy.service")
        expect(findings, isFailure: false, curedBy: mask, "takes the key of Jabra")
        facts.keyProxy = .process
        expect(findings, isFailure: false, curedBy: .command("pkill -x mpris-proxy"), "the key of Jabra")
    }

    /// Debian 13 starts it for everybody.
    @Test mutating func `mpris-proxy does no harm without a Bluetooth headset`() {
        facts.keyProxy = .service
        #expect(findings.allSatisfy { $0.severity == .ok })
    }

    @Test func `a session bus that hangs is a warning`() {
        let hung = DesktopFacts.findings(.failure(.timedOut), headsets: [])
        expect(hung, isFailure: false, curedBy: .advice(Text("log out and in again")), "session bus")
    }
}

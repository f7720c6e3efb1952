@testable import PulseAudio
@testable import pttd

extension HeadsetProfilesTests {
    enum Server: String, CaseIterable {
        case pulseAudio
        case pipeWire
        /// Its source is software that is there in each profile, with another spelling of the address.
        case wirePlumber05
    }

    /// A headset as servers list it. The cards are those of `pactl list cards` on PulseAudio 16.1 (a Jabra
    /// Elite 75t) and PipeWire 0.3 (with the codecs of WirePlumber 0.4).
    struct Headset {
        let server: Server
        var active: String
        var isPlaying = true
        /// False while its profile is being changed.
        var hasSink = true
        var isAvailable = true

        init(_ server: Server) {
            self.server = server
            active = server == .pulseAudio ? "a2dp_sink" : "a2dp-sink-ldac"
        }

        var music: String { server == .pulseAudio ? "a2dp_sink" : "a2dp-sink-ldac" }
        var talk: String { server == .pulseAudio ? "handsfree_head_unit" : "headset-head-unit-msbc" }
        var source: String {
            switch server {
            case .pulseAudio: "bluez_source.70_BF_92_C9_F5_D0.handsfree_head_unit"
            case .pipeWire: "bluez_input.70_BF_92_C9_F5_D0.0"
            case .wirePlumber05: "bluez_input.70:BF:92:C9:F5:D0"
            }
        }

        private var profiles: [AudioCard.Profile] {
            func profile(_ name: String, _ priority: UInt32, microphone: Bool = true) -> AudioCard.Profile {
                let available = isAvailable || !microphone
                return AudioCard.Profile(
                    name: name,
                    hasMicrophone: microphone,
                    isAvailable: available,
                    priority: priority
                )
            }
            return switch server {
            case .pulseAudio:
                [
                    profile("a2dp_sink", 40, microphone: false), profile("handsfree_head_unit", 30),
                    profile("headset_audio_gateway", 50), profile("off", 0, microphone: false),
                ]
            case .pipeWire, .wirePlumber05:
                [
                    profile("off", 0, microphone: false), profile("audio-gateway", 256),
                    profile("a2dp-sink", 16, microphone: false), profile("headset-head-unit", 1),
                    profile("a2dp-sink-ldac", 19, microphone: false), profile("headset-head-unit-cvsd", 2),
                    profile("headset-head-unit-msbc", 3),
                ]
            }
        }

        func listed(hasSource: Bool? = nil) -> HeadsetProfiles.Event {
            var devices = AudioDevices()
            let card = "bluez_card.70_BF_92_C9_F5_D0"
            let builtIn = AudioCard(
                index: 1,
                name: "alsa_card.pci-0000_00_1f.3",
                isBluetooth: false,
                activeProfile: "output:analog-stereo+input:analog-stereo",
                profiles: []
            )
            devices.cards = [
                builtIn,
                AudioCard(index: 2, name: card, isBluetooth: true, activeProfile: active, profiles: profiles),
            ]
            let sink = server == .pulseAudio ? "bluez_sink" : "bluez_output"
            let sinks = ["alsa_output.pci.analog-stereo", "\(sink).70_BF_92_C9_F5_D0.1"]
            devices.defaultSink = sinks[isPlaying && hasSink ? 1 : 0]
            devices.sinks = sinks.enumerated().map { index, name in
                AudioSink(
                    index: UInt32(index),
                    name: name,
                    isMuted: false,
                    isOwn: false,
                    card: UInt32(index + 1),
                    monitor: nil,
                    owner: DeviceOwner(module: nil, linkGroup: nil)
                )
            }
            if !hasSink { devices.sinks.removeLast() }
            let isThere = hasSource ?? (server == .wirePlumber05 || active == talk)
            let names = ["alsa_input.pci.analog-stereo"] + (isThere ? [source] : [])
            devices.sources = names.enumerated().map { index, name in
                AudioDevice(
                    index: UInt32(index),
                    name: name,
                    isMuted: false,
                    isMonitor: false,
                    isOwn: false,
                    isHardware: true,
                    isUnplugged: false,
                    card: UInt32(index + 1),
                    isHeadsetLoopback: server == .wirePlumber05 && index == 1,
                    owner: DeviceOwner(module: nil, linkGroup: nil)
                )
            }
            return .listed(devices)
        }

        var change: HeadsetProfiles.Change {
            HeadsetProfiles.Change(card: "bluez_card.70_BF_92_C9_F5_D0", original: music, changed: talk)
        }

        func set(_ profile: String) -> HeadsetProfiles.Effect {
            .setProfile(card: "bluez_card.70_BF_92_C9_F5_D0", profile: profile)
        }
    }
}

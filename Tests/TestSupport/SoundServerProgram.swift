/// A sound server that people have; each is started by other programs.
package enum SoundServerProgram: String, Sendable, CaseIterable, CustomStringConvertible {
    case pulseAudio = "PulseAudio"
    case pipeWire = "PipeWire"

    package var description: String { rawValue }

    var executables: [String] {
        switch self {
        case .pulseAudio: ["pulseaudio", "pactl"]
        case .pipeWire: ["pipewire", "wireplumber", "pipewire-pulse", "pw-cat", "dbus-daemon", "pactl"]
        }
    }
}

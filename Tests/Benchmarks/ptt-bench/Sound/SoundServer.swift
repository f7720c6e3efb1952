import ChildProcess
import EventLoop
import Glibc
import TestSupport

/// A private sound server of either kind, with a microphone that hears a tone of two levels, and a speaker.
@EventLoop
struct SoundServer {
    static let microphone = "microphone"
    static let monitor = "speaker.monitor"
    /// The devices of ``makeOtherSource()``.
    static let otherSink = "other_feed"
    static let otherSource = "other_mic"

    let program: SoundServerProgram
    /// In which programs find this server.
    let environment: [String: String]
    /// The processes of the server itself.
    let processes: [ChildProcess]
    private let stack: StackFixture
    private let directory: String
    private let others: [ChildProcess]

    /// Returns when the server has its devices.
    static func start(_ program: SoundServerProgram, on stack: StackFixture) async throws -> SoundServer {
        let directory = "\(stack.directory)/\(program.rawValue)"
        let folders = [
            "", "/pulse", "/state", "/config", "/config/pipewire", "/config/pipewire/pipewire.conf.d",
        ]
        for folder in folders where mkdir(directory + folder, 0o700) != 0 && errno != EEXIST {
            throw SystemError("create \(directory)\(folder)")
        }
        let bus = "\(program.rawValue)-bus"
        let busProcess = try stack.startBus(named: bus)
        try await stack.appearance(of: "\(stack.directory)/\(bus)")
        let environment = [
            // Each server has a name on the bus.
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(stack.directory)/\(bus)", "HOME": directory,
            "XDG_RUNTIME_DIR": directory, "PIPEWIRE_RUNTIME_DIR": directory,
            "XDG_CONFIG_HOME": directory + "/config", "XDG_STATE_HOME": directory + "/state",
            "PULSE_SERVER": "unix:\(directory)/pulse/native",
        ]
        let sound = stack.directory + "/tone.wav"
        if access(sound, F_OK) != 0 { try TwoLevelTone.write(to: sound) }
        // An earlier server's. PulseAudio makes no pipe where there is one.
        unlink(directory + "/pulse/native")
        unlink(directory + "/microphone.pipe")
        let start: ([String]) throws -> ChildProcess = { try stack.start($0, environment: environment) }
        let processes: [ChildProcess]
        let microphone: ChildProcess
        switch program {
        case .pulseAudio:
            let native = "module-native-protocol-unix socket=\(directory)/pulse/native auth-anonymous=1"
            let pipe = "\(directory)/microphone.pipe"
            let source =
                "module-pipe-source source_name=\(Self.microphone) file=\(pipe) rate=48000 channels=1"
            let modules = [
                native, "module-null-sink sink_name=speaker norewinds=1", source,
                "module-suspend-on-idle timeout=2",
            ]
            processes = [
                try start(
                    ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
                        + modules.flatMap { ["-L", $0] }
                )
            ]
            try await stack.appearance(of: pipe)
            microphone = try start([stack.ownProgram, "baseline-microphone", pipe, sound])
        case .pipeWire:
            // Without these directories wireplumber 0.4.13 exits. Only root can make them, and where systemd
            // runs they exist.
            for name in ["seats", "sessions", "users", "machines"] { mkdir("/run/systemd/\(name)", 0o755) }
            let fragments = directory + "/config/pipewire/pipewire.conf.d"
            try write(speakerOfPipeWire, to: fragments + "/speaker.conf")
            // As installed.
            let fragment = "/50-push-to-talk.conf"
            guard symlink(stack.programs + fragment, fragments + fragment) == 0 || errno == EEXIST else {
                throw SystemError("link \(fragments)\(fragment)")
            }
            let pipewire = try start(["pipewire"])
            try await stack.appearance(of: directory + "/pipewire-0")
            processes = [pipewire, try start(["wireplumber"]), try start(["pipewire-pulse"])]
            let node =
                "{ node.name = \(Self.microphone) media.class = Audio/Source node.autoconnect = false "
                + "priority.session = 2000 }"
            try await stack.appearance(of: directory + "/pulse/native")
            microphone = try start(["pw-cat", "-p", "-P", node, sound])
        }
        try await stack.appearance(of: directory + "/pulse/native")
        let server = SoundServer(
            program: program,
            environment: environment,
            processes: processes,
            stack: stack,
            directory: directory,
            others: [busProcess, microphone]
        )
        try await server.untilDefault("sink", is: "speaker")
        try await server.untilDefault("source", is: Self.microphone)
        return server
    }

    var address: String { "unix:\(directory)/pulse/native" }

    func end() {
        for process in others + processes.reversed() { stack.end(process) }
    }

    /// Loads what the core loads, for a client that is compared with it.
    func makeOtherSource() throws {
        switch program {
        case .pulseAudio:
            try pactl(
                "load-module",
                "module-null-sink",
                "sink_name=\(Self.otherSink)",
                "rate=48000",
                "channels=1",
                "channel_map=mono",
                "norewinds=1"
            )
            try pactl(
                "load-module",
                "module-remap-source",
                "master=\(Self.otherSink).monitor",
                "source_name=\(Self.otherSource)",
                "channels=1",
                "channel_map=mono"
            )
        case .pipeWire:
            try pactl(
                "load-module",
                "module-loopback",
                "sink_input_properties='media.class=Audio/Source node.name=\(Self.otherSource)'",
                "source_output_properties='media.class=Audio/Sink node.name=\(Self.otherSink)'",
                "channels=1",
                "channel_map=mono"
            )
        }
    }

    /// Waits until the server's default is this device.
    private func untilDefault(_ kind: String, is name: String) async throws {
        // The command blocks the loop.
        let command = "test \"$(pactl --server=\(address) get-default-\(kind) 2>&1)\" = \(name)"
        while try ChildProcess.run(["sh", "-c", command]) != 0 {
            if let ended = processes.first(where: { $0.status != nil }) {
                throw Unmeasurable("\(ended.name) has ended")
            }
            await pause(.milliseconds(50))
        }
    }

    private func pactl(_ arguments: String...) throws {
        let status = try ChildProcess.run(["pactl", "--server=\(address)"] + arguments)
        guard status == 0 else { throw Unmeasurable("pactl \(arguments.joined(separator: " ")) failed") }
    }
}

/// With a priority, as devices of ALSA have: those without are not preferred to the core's own.
private let speakerOfPipeWire = """
    context.objects = [
        { factory = adapter args = {
            factory.name = support.null-audio-sink node.name = speaker media.class = Audio/Sink
            priority.session = 2000 object.linger = true audio.position = [ FL FR ]
            monitor.channel-volumes = true } }
    ]

    """

/// Writes a file of text.
func write(_ text: String, to path: String) throws(SystemError) {
    guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
}

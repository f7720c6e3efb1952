import ChildProcess
package import EventLoop
import Foundation
import Glibc

/// A real sound server without hardware, for one test: in a directory of its own, with a sine of 440 Hz as
/// the default microphone ("tone"), and a sink without a device ("speaker", recorded through
/// "speaker.monitor").
@EventLoop
package final class PrivateAudioServer {
    package let program: SoundServerProgram
    /// For `AudioServer(address:)` and `PULSE_SERVER`.
    package let address: String
    /// The environment in which programs find this server, and nothing else of the machine.
    package private(set) var environment: [String: String]

    private let directory: String
    private var processes: [TestProcess] = []
    /// PipeWire's, by their names: each a process of its own, which is killed as a microphone is unplugged.
    /// (A microphone of pw-cat 0.3.65, or of its plugin audiotestsrc, may stay silent after several programs
    /// have opened and closed it; and pipewire-pulse 1.4.2 crashes at times when it unloads a
    /// module-pipe-source that is recorded.)
    private var microphones: [String: TestProcess] = [:]
    private var isOld = false
    private var pipes: [TonePipe] = []
    private var bus: PrivateBus?

    /// Starts the server and waits until it is complete. `fragments` are files of PipeWire's configuration
    /// that it reads in addition.
    package static func start(_ program: SoundServerProgram, fragments: [String] = []) async throws
        -> PrivateAudioServer
    {
        let server = try PrivateAudioServer(program)
        for path in fragments {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let copy = "\(server.directory)/config/pipewire/pipewire.conf.d/\(name)"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        }
        do {
            try await server.startProcesses()
            if program == .pipeWire { try await server.untilStreamsOpen() }
        } catch {
            server.stop()
            throw error
        }
        return server
    }

    private init(_ program: SoundServerProgram) throws {
        if let missing = program.executables.first(where: { !isInstalled($0) }) {
            throw NotUsable(description: "\(missing) is not installed")
        }
        self.program = program
        var template = Array("/tmp/private-audio-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
        self.directory = directory
        address = "unix:\(directory)/pulse/native"
        environment = [
            "HOME": directory, "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": "\(directory)/config",
            "XDG_STATE_HOME": "\(directory)/state", "PIPEWIRE_RUNTIME_DIR": directory,
            "PULSE_SERVER": address, "DISPLAY": "",
        ]
        for name in ["pulse", "state", "config/pipewire/pipewire.conf.d"] {
            let path = "\(directory)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    isolated deinit { stop() }

    /// Kills the server and removes all traces of it.
    package func stop() {
        kill()
        // What cannot be removed is litter in /tmp and hurts no test.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Kills all its processes, as a crash of the whole server would.
    package func kill() {
        // First none of them can act: the microphone's end must not be reported before the server's.
        freeze()
        for process in processes { process.kill() }
        processes = []
        bus = nil
        pipes = []
    }

    /// Starts the server again, at the same address.
    package func restart() async throws {
        kill()
        // The files of the killed server look like those of a running one.
        for leftOver in ["pulse/native", "pulse/pid", "pipewire-0", "pipewire-0.lock", "tone.pipe"] {
            unlink("\(directory)/\(leftOver)")
        }
        try await startProcesses()
    }

    /// Kills one program of PipeWire's. The others keep running, as they do below systemd.
    package func kill(only name: String) {
        precondition(program == .pipeWire)
        guard let index = processes.firstIndex(where: { $0.name == name }) else { return }
        processes.remove(at: index).kill()
    }

    /// Starts a program of PipeWire's again that ``kill(only:)`` has ended. The session manager and the
    /// devices of the killed `pipewire` do not come back.
    package func restart(only name: String) async throws {
        let sockets = [
            "pipewire": ["pipewire-0", "pipewire-0.lock"], "pipewire-pulse": ["pulse/native", "pulse/pid"],
        ]
        for leftOver in sockets[name] ?? [] { unlink("\(directory)/\(leftOver)") }
        try spawn([name])
        if let socket = sockets[name]?.first { try await untilExists("\(directory)/\(socket)") }
    }

    /// Stops the server: its sockets stay open and nothing answers.
    package func freeze() { for process in processes { process.signal(SIGSTOP) } }

    /// Lets the server go on.
    package func thaw() { for process in processes { process.signal(SIGCONT) } }

    /// Removes a microphone, as unplugging it would.
    package func removeMicrophone(_ name: String = "tone") async throws {
        switch program {
        case .pulseAudio:
            let modules = try await pactl("list", "short", "modules").split(separator: "\n")
            let module = modules.first { $0.contains("source_name=\(name) ") }?.prefix { $0 != "\t" }
            try await pactl("unload-module", String(module ?? ""))
        case .pipeWire: microphones[name]?.kill()
        }
        let path = pipe(of: name)
        pipes.removeAll { $0.path == path }
        // PulseAudio has removed it.
        unlink(path)
    }

    /// Adds a microphone with the same tone, as plugging it in would.
    package func addMicrophone(_ name: String) async throws {
        let path = pipe(of: name)
        switch program {
        case .pulseAudio:
            try await pactl(
                ["load-module", "module-pipe-source", "source_name=\(name)", "file=\(path)"]
                    + ["rate=48000", "channels=1", "format=s16le"]
            )
        case .pipeWire: try spawnMicrophone(name)
        }
        try await untilExists(path)
        pipes.append(try TonePipe(path))
    }

    private func pipe(of microphone: String) -> String { "\(directory)/\(microphone).pipe" }

    private func spawnMicrophone(_ name: String) throws {
        let configuration = pipeWireMicrophone(name, pipe: pipe(of: name), isOld: isOld)
        try configuration.write(
            toFile: "\(directory)/config/pipewire/\(name).conf",
            atomically: false,
            encoding: .utf8
        )
        try spawn(["pipewire", "-c", "\(name).conf"])
        microphones[name] = processes.last
    }

    /// Runs `pactl` against this server.
    @discardableResult
    package func pactl(_ arguments: String...) async throws -> String {
        try await pactl(arguments)
    }

    /// Runs `pactl` against this server.
    @discardableResult
    package func pactl(_ arguments: [String]) async throws -> String {
        try await run(["pactl"] + arguments)
    }

    /// Connects two ports of PipeWire, as a patch bay does.
    package func connectPorts(_ output: String, _ input: String) async throws {
        try await run(["pw-link", output, input])
    }

    /// Ends what ``connectPorts(_:_:)`` has begun.
    package func disconnectPorts(_ output: String, _ input: String) async throws {
        try await run(["pw-link", "--disconnect", output, input])
    }

    /// A program that plays a file of samples to a sink, as any program does.
    package func play(_ path: String, to sink: String) throws -> TestProcess {
        try TestProcess(
            ["pacat", "--playback", "--device=\(sink)", "--latency-msec=20", path],
            environment: environment,
            errors: .file("/dev/null")
        )
    }

    /// Waits until the server has made this source, or this monitor, its default.
    package func untilDefaultSource(is name: String) async throws {
        try await until("the default source is \(name)") { [self] in
            try await pactl("get-default-source") == name
        }
    }

    @discardableResult
    private func run(_ command: [String]) async throws -> String {
        guard let output = try await output(of: command) else {
            throw NotUsable(description: "\(command.joined(separator: " ")) failed; \(logs)")
        }
        return output
    }

    /// - Returns: Nil if the command failed.
    private func output(of command: [String]) async throws -> String? {
        let child = try TestProcess(command, environment: environment, errors: .file("\(directory)/log"))
        let (status, lines) = try await child.output()
        return status == 0 ? lines.joined(separator: "\n") : nil
    }

    private func startProcesses() async throws {
        isOld = try await run([program.executables[0], "--version"]).contains("libpipewire 0.")
        for (name, text) in program.configuration(directory) {
            try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
        }
        switch program {
        case .pulseAudio:
            try spawn([
                "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
                "--high-priority=no", "--realtime=no", "-F", "\(directory)/pulse.pa",
            ])
        case .pipeWire:
            // Without these directories wireplumber 0.4.13 exits: "failed to start systemd logind monitor".
            for name in ["seats", "sessions", "users", "machines"] { mkdir("/run/systemd/\(name)", 0o755) }
            let bus = try await PrivateBus.start()
            environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            self.bus = bus
            try spawn(["pipewire"])
            try await untilExists("\(directory)/pipewire-0")
            try spawn(["wireplumber"])
            try spawn(["pipewire-pulse"])
            try await untilExists("\(directory)/pulse/native")
            try spawnMicrophone("tone")
        }
        try await untilExists("\(directory)/pulse/native")
        try await until("the server knows its microphone") { [self] in
            let info = try await output(of: ["pactl", "info"]) ?? ""
            return info.contains("Default Source: tone") && info.contains("Default Sink: speaker")
        }
        pipes = [try TonePipe(pipe(of: "tone"))]
    }

    /// WirePlumber 0.4 fails a stream that opens while it still handles the devices of its own start.
    private func untilStreamsOpen() async throws {
        let silence = "\(directory)/silence"
        try Data(count: 1920).write(to: URL(filePath: silence))
        try await until("a stream opens") { [self] in
            // It may also have no end.
            let player = try? await play(silence, to: "speaker").output(within: .seconds(3))
            return player?.status == 0
        }
    }

    private func spawn(_ command: [String]) throws {
        let log = ChildProcess.Stream.file("\(directory)/log")
        let process = try TestProcess(command, environment: environment, output: log, errors: log)
        // As RealtimeKit gives it to the server of a desktop, so that other programs do not interrupt the
        // sound. Who is not root does without.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.processID), -11)
        processes.append(process)
    }

    private func untilExists(_ path: String) async throws {
        try await until("\(path) exists") { access(path, F_OK) == 0 }
    }

    /// These servers do not announce that they are ready.
    private func until(_ expectation: String, _ isMet: @EventLoop () async throws -> Bool) async throws {
        do {
            try await TestSupport.until(isMet)
        } catch is TimeLimitExceeded {
            throw NotUsable(description: "\(program): time limit: \(expectation); \(logs)")
        }
    }

    private var logs: String {
        // Part of another error.
        let log = try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)
        return "log: \((log ?? "none").suffix(4000))"
    }
}

private func isInstalled(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
}

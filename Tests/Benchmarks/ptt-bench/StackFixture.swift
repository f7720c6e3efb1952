import ChildProcess
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// A private world in a temporary directory: a D-Bus, a sound server with a silent microphone, both daemons
/// of the build that this program belongs to, a channel, and a button that is connected.
@EventLoop
final class StackFixture {
    let directory: String
    let programs: String
    private(set) var bus: ChildProcess?
    private(set) var core: ChildProcess?
    private(set) var accessoryd: ChildProcess?
    private(set) var blueZ: PrivateBlueZ?
    private var children: [ChildProcess] = []
    private var subscription: ServiceConnection?
    private var isEnded = false

    init() throws {
        var template = Array("/tmp/ptt-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        programs = try Environment.programDirectory()
        let environment = [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
            "DBUS_SYSTEM_BUS_ADDRESS": busAddress, "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "PULSE_SERVER": "unix:\(directory)/pulse.socket",
        ]
        for (name, value) in environment { setenv(name, value, 1) }
        // A watchdog would cause wake-ups.
        for name in ["WATCHDOG_USEC", "NOTIFY_SOCKET", "PTT_LOG"] { unsetenv(name) }
    }

    var busAddress: String { "unix:path=\(directory)/bus" }

    var ownProgram: String { programs + "/ptt-bench" }

    /// Starts everything; returns when a press would transmit.
    func start() async throws {
        bus = try startBus(named: "bus")
        try await appearance(of: directory + "/bus")
        blueZ = try await PrivateBlueZ.start(on: busAddress)
        let native = "module-native-protocol-unix socket=\(directory)/pulse.socket auth-anonymous=1"
        _ = try start([
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            "-L", native, "-L", "module-null-source source_name=microphone",
        ])
        try await appearance(of: directory + "/pulse.socket")
        core = try start([programs + "/pttd"])
        try await appearance(of: directory + "/pushtotalk/audio")
        try await appearance(of: directory + "/pushtotalk/core")
        try Self.enrol([PrivateBlueZ.address], in: directory)
        accessoryd = try start([programs + "/ptt-accessoryd"])
        try await appearance(of: directory + "/pushtotalk/accessory")
        try await Self.joinWhenAudioIsThere()
        try await Self.areReady(1)
    }

    /// Starts a program that ends with the stack.
    ///
    /// - Parameters:
    ///   - arguments: The program, by path or by name in `$PATH`, and its arguments.
    ///   - input: Its standard input; `/dev/null` if nil.
    ///   - output: Its standard output; the log if nil.
    ///   - environment: In addition to this process's own.
    ///   - log: The file that gets its standard error; that of the stack if nil.
    /// - Returns: The program.
    /// - Throws: If it cannot be started.
    func start(
        _ arguments: [String],
        input: Int32? = nil,
        output: Int32? = nil,
        environment: [String: String] = [:],
        log: String? = nil
    ) throws(SystemError) -> ChildProcess {
        let log = ChildProcess.Stream.file(log ?? directory + "/log")
        let child = try ChildProcess(
            arguments,
            environment: environment,
            input: input.map { .descriptor($0) } ?? .nothing,
            output: output.map { .descriptor($0) } ?? log,
            errors: log
        )
        children.append(child)
        return child
    }

    /// Starts a bus at `directory/name`.
    func startBus(named name: String) throws -> ChildProcess {
        let path = "\(directory)/\(name).conf"
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>custom</type>
              <listen>unix:path=\(directory)/\(name)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
        return try start(["dbus-daemon", "--config-file=\(path)", "--nofork"])
    }

    func end(_ child: ChildProcess) {
        child.kill()
        children.removeAll { $0 === child }
    }

    /// Ends everything, last started first, and removes the directory. Further calls do nothing.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        subscription?.close()
        for child in children.reversed() { child.kill() }
        // A directory that stays is in /tmp and harmless.
        _ = try? ChildProcess.run(["rm", "-rf", directory])
    }

    /// Waits until a file exists, a socket for example.
    func appearance(of path: String) async throws {
        while access(path, F_OK) != 0 {
            if let ended = children.first(where: { $0.status != nil }) {
                throw Unmeasurable("\(ended.name) has ended: \(log)")
            }
            await pause(.milliseconds(10))
        }
    }

    /// The end of the programs' standard error.
    var log: String {
        guard let file = fopen(directory + "/log", "re") else { return "" }
        defer { _ = fclose(file) }  // Only read from.
        fseek(file, -4096, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    // MARK: Ready for a press

    /// Enrols buttons for the ptt-accessoryd whose configuration is in `directory`.
    static func enrol(_ addresses: [String], in directory: String) throws {
        let path = "\(directory)/pushtotalk/devices.toml"
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        let text = addresses.map { "[[device]]\nidentity = \"bluetooth:\($0)\"\n" }.joined()
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
    }

    static func joinWhenAudioIsThere() async throws {
        let connection = try ServiceConnection.core()
        defer { connection.close() }
        while !(try await connection.status().isAudioServerReady) { await pause(.milliseconds(10)) }
        _ = try await connection.join(
            ChannelInterface.JoinRequest(channelID: nil, name: "Benchmark", application: nil)
        )
    }

    /// Waits until this number of buttons is ready.
    static func areReady(_ count: Int) async throws {
        let connection = try ServiceConnection.accessory()
        defer { connection.close() }
        while try await connection.devices().devices.count(where: { $0.link == .ready }) < count {
            await pause(.milliseconds(10))
        }
    }
}

/// Waits; between two measurements the machine comes to rest.
@EventLoop
func pause(_ duration: Duration) async {
    var timer: TimerSource?
    await withCheckedContinuation { continuation in
        timer = TimerSource { continuation.resume() }
        timer?.arm(after: duration)
    }
    timer?.disarm()
}

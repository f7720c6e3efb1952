import CoreLink
import EventLoop
import Glibc

/// A private world in a temporary directory: a D-Bus, a sound server whose microphone hears 440 Hz, both daemons.
@EventLoop
final class DemoStack {
    let directory: String
    private let programs: String
    private var children: [DemoProcess] = []

    init(programs: String) throws(SystemError) {
        self.programs = programs
        var template = Array("/tmp/ptt-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // CoreLink in this process, and every child, looks for sockets and settings here.
        for (name, value) in environment { setenv(name, value, 1) }
    }

    var busAddress: String { "unix:path=\(directory)/bus" }

    private var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
            "DBUS_SYSTEM_BUS_ADDRESS": busAddress, "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "PULSE_SERVER": "unix:\(directory)/pulse.socket",
        ]
    }

    /// - Parameter busReady: Called when the bus listens. The sound server may take longer; the core waits for it.
    /// - Throws: If a program cannot be started.
    func startServers(busReady: @escaping @EventLoop () -> Void) throws(SystemError) {
        try writeBusConfiguration()
        try start(
            "bus",
            ["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1"]
        ) { _ in
            busReady()
        }
        try start(
            "sound",
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                "-L", "module-native-protocol-unix socket=\(directory)/pulse.socket auth-anonymous=1",
                "-L", "module-null-sink sink_name=air norewinds=1",
                "-L", "module-sine sink=air frequency=440",
            ]
        )
    }

    /// A button that is paired, trusted and connected. It takes commands as lines and answers each with a line.
    func startButton(line: @escaping @EventLoop (String) -> Void) throws(SystemError) -> DemoProcess {
        try start(
            "ptt-sim",
            ["\(programs)/ptt-sim", "buttons", "--bus", busAddress, "--button", "ffe0", "--known"],
            line
        )
    }

    func startDaemons() throws(SystemError) {
        try start("pttd", ["\(programs)/pttd"])
        try start("ptt-accessoryd", ["\(programs)/ptt-accessoryd"])
    }

    /// Starts the application whose audio the demonstration leaves behind; its lines go to `line`.
    func startApplication(_ wav: String, line: @escaping @EventLoop (String) -> Void) throws(SystemError) {
        try start("pttctl", ["\(programs)/pttctl", "record", wav, "--once", "--json"], line)
    }

    /// What the programs have complained about so far.
    var logs: [(String, String)] {
        children.compactMap { child in
            let text = child.complaints
            return text.isEmpty ? nil : (child.name, text)
        }
    }

    /// Ends everything, last started first, and removes the directory.
    func end() {
        for child in children.reversed() { child.end() }
        children = []
        _ = DemoProcess.run(["rm", "-rf", directory])  // A directory that stays is in /tmp and harmless.
    }

    @discardableResult
    private func start(
        _ name: String,
        _ arguments: [String],
        _ line: (@EventLoop (String) -> Void)? = nil
    ) throws(SystemError) -> DemoProcess {
        let child = try DemoProcess(name, arguments, log: "\(directory)/\(name).log", line)
        children.append(child)
        return child
    }

    private func writeBusConfiguration() throws(SystemError) {
        let path = directory + "/bus.conf"
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>custom</type>
              <listen>\(busAddress)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
    }
}

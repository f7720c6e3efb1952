import EventLoop
import Glibc
import ServiceClient

/// A private world in a temporary directory: a D-Bus, a sound server with a microphone that hears 440 Hz and a speaker
/// that plays to nowhere, both daemons, an application.
@EventLoop
final class DemoStack {
    /// What its speaker plays, by the sound server's name.
    static let speaker = "speaker.monitor"
    /// What its microphone hears: a sink that a tone is played to.
    private static let microphone = "air.monitor"

    let directory: String
    private let programs: String
    private var children: [DemoProcess] = []

    init(programs: String) throws(SystemError) {
        self.programs = programs
        var template = Array("/tmp/ptt-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // ServiceClient in this process, and every child, looks for sockets and settings here.
        for (name, value) in environment { setenv(name, value, 1) }
    }

    var busAddress: String { "unix:path=\(directory)/bus" }

    private var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": directory, "HOME": directory, "XDG_CONFIG_HOME": "\(directory)/config",
            "XDG_STATE_HOME": "\(directory)/state", "XDG_DATA_HOME": "\(directory)/data",
            "DBUS_SYSTEM_BUS_ADDRESS": busAddress, "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "PULSE_SERVER": "unix:\(directory)/pulse.socket",
        ]
    }

    /// - Parameter busReady: Called when the bus listens. The sound server may take longer; the core waits for it.
    /// - Throws: If a program cannot be started.
    func startServers(busReady: @escaping @EventLoop () -> Void) throws(SystemError) {
        try write(bus, to: "bus.conf")
        try start(
            "bus",
            ["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1"]
        ) { _ in
            busReady()
        }
        try write(sound, to: "sound.pa")
        try start(
            "sound",
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                "-F", "\(directory)/sound.pa",
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
        // What a sink plays counts as a microphone only if it is named.
        let settings = "\(directory)/config/pushtotalk"
        for path in ["\(directory)/config", settings] where mkdir(path, 0o700) != 0 {
            throw SystemError("make the directory \(path)")
        }
        try write("microphone = \"\(Self.microphone)\"\n", to: "config/pushtotalk/pttd.toml")
        try start("pttd", ["\(programs)/pttd"])
        try start("ptt-accessoryd", ["\(programs)/ptt-accessoryd"])
    }

    /// Starts the application, which plays each transmission back.
    func startApplication() throws(SystemError) {
        try start("ptt-echo", ["\(programs)/ptt-echo"])
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

    /// Microphone and speaker are apart: an application that heard its own echo would answer it for ever.
    private var sound: String {
        """
        load-module module-native-protocol-unix socket=\(directory)/pulse.socket auth-anonymous=1
        load-module module-null-sink sink_name=speaker norewinds=1
        load-module module-null-sink sink_name=air norewinds=1
        load-module module-sine sink=air frequency=440
        set-default-sink speaker

        """
    }

    private var bus: String {
        """
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
    }

    private func write(_ text: String, to name: String) throws(SystemError) {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)") }
    }
}

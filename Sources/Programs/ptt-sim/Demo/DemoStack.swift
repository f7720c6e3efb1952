import ChildProcess
import EventLoop
import Glibc

/// A private stack in a temporary directory: a D-Bus, a sound server with a 440 Hz tone as its microphone and
/// a speaker without a device, both daemons, an application, a recorder.
@EventLoop
final class DemoStack {
    /// The source that records what its speaker plays.
    static let speaker = "speaker.monitor"
    /// Its microphone: the monitor of a sink that plays a tone.
    private static let microphone = "air.monitor"
    /// Samples a second of the recorder, which records one channel of 16 bits.
    static let recordingRate = 48_000

    private let directory: String
    private let programs: String
    private var children: [(program: ChildProcess, log: MemoryFile)] = []
    private let recording: MemoryFile

    init(programs: String) throws(SystemError) {
        self.programs = programs
        recording = try MemoryFile()
        var template = Array("/tmp/ptt-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // ServiceClient in this process, and every child, looks for sockets and settings here.
        let environment = [
            "XDG_RUNTIME_DIR": directory, "HOME": directory, "XDG_CONFIG_HOME": "\(directory)/config",
            "XDG_STATE_HOME": "\(directory)/state",
            // The person's own: an installation at home has its accessory files there, and nothing is written
            // to it.
            "XDG_DATA_HOME": UserDirectory.data.path ?? directory,
            "DBUS_SYSTEM_BUS_ADDRESS": busAddress, "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "PULSE_SERVER": "unix:\(directory)/pulse.socket",
        ]
        for (name, value) in environment { setenv(name, value, 1) }
    }

    private var busAddress: String { "unix:path=\(directory)/bus" }

    /// - Parameter busReady: Called when the bus listens. The sound server may need longer; the core waits
    ///   for it.
    /// - Throws: If a program cannot be started.
    func startServers(busReady: @escaping @EventLoop () -> Void) throws {
        try write(bus, to: "bus.conf")
        try start(
            ["dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1"],
            line: { _ in busReady() }
        )
        try write(sound, to: "sound.pa")
        try start([
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            "-F", "\(directory)/sound.pa",
        ])
    }

    /// A button that is paired, trusted, enrolled and connected. It reads commands as lines and answers each
    /// with a line.
    func startButton(line: @escaping @EventLoop (String) -> Void) throws(SystemError) -> ChildProcess {
        try start(
            ["\(programs)/ptt-sim", "buttons", "--bus", busAddress, "--button", "ffe0", "--known"],
            line: line
        )
    }

    func startDaemons() throws {
        // A monitor is used as a microphone only if it is configured. ``SpeakerRecording`` would take a tone
        // for the echo.
        let configuration = "microphone = \"\(Self.microphone)\"\n[tones]\nenabled = false\n"
        try write(configuration, to: "config/pushtotalk/pttd.toml")
        let device = "[[device]]\nidentity = \"bluetooth:\(VirtualButton.address(1))\"\n"
        try write(device, to: "config/pushtotalk/devices.toml")
        try start(["\(programs)/pttd"])
        try start(["\(programs)/ptt-accessoryd"])
    }

    /// Starts the application, which plays each transmission back.
    func startApplication() throws(SystemError) {
        try start(["\(programs)/ptt-echo"])
    }

    func endApplication() {
        children.first { $0.program.name == "ptt-echo" }?.program.kill()
    }

    /// Starts a program that records from the Push-to-Talk Microphone.
    func startRecorder() throws(SystemError) {
        let format = ["--raw", "--format=s16le", "--rate=\(Self.recordingRate)", "--channels=1"]
        try start(["parecord", "--device=ptt_mic", "--latency-msec=20"] + format, output: recording)
    }

    /// Ends the program that ``startRecorder()`` has started, and returns all samples that it has recorded,
    /// of two minutes at most.
    func recordedSamples() -> [Int16] {
        children.first { $0.program.name == "parecord" }?.program.kill()
        return recording.read(limit: Self.recordingRate * 2 * 120).withUnsafeBytes {
            Array($0.bindMemory(to: Int16.self))
        }
    }

    /// The standard error of each program that has written there, at most 4 KiB.
    var logs: [(String, String)] {
        children.compactMap { program, log in
            let bytes = log.read(limit: 4096)
            return bytes.isEmpty ? nil : (program.name, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Ends everything, last started first, and removes the directory.
    func end() {
        for child in children.reversed() { child.program.kill() }
        children = []
        // A directory that stays is in /tmp and harmless.
        _ = try? ChildProcess.run(["rm", "-rf", directory])
    }

    /// Starts a program that ends with the stack. What it prints goes to `line` or `output`, or to its log if
    /// both are nil.
    @discardableResult
    private func start(
        _ arguments: [String],
        output: MemoryFile? = nil,
        line: (@EventLoop (String) -> Void)? = nil
    ) throws(SystemError) -> ChildProcess {
        let log = try MemoryFile()
        let program = try ChildProcess(
            arguments,
            input: line == nil ? .nothing : .owner,
            output: line == nil ? .descriptor((output ?? log).descriptor) : .owner,
            errors: .descriptor(log.descriptor),
            line: line ?? { _ in }
        )
        children.append((program, log))
        return program
    }

    /// Microphone and speaker are separate: an application that recorded its own echo would answer it
    /// forever.
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

    private func write(_ text: String, to name: String) throws {
        try TextFile.edit("\(directory)/\(name)", limit: 0) { _ in text }
    }
}

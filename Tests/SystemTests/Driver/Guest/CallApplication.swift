import ChildProcess
import EventLoop
import Glibc
import PTTMessages

/// A call application: `parec`, which records from the Push-to-Talk Microphone as any program does, and
/// connects again whenever the sound server ends its recording.
@EventLoop
final class CallApplication {
    private static let path = "/tmp/ptt-system-tests.samples"
    /// Mono samples of 2 bytes at 48 kHz.
    private static let bytesInSecond = 96_000

    private let core: CoreSubscriber
    private var process: ChildProcess?
    private lazy var retry = TimerSource { [weak self] in self?.connect() }
    /// Everything that it has recorded.
    private var bytes: [UInt8] = []
    /// Where the silence began that must last.
    private var silence: Int?
    private(set) var connections = 0

    /// Starts it, and waits until the core reports it and it has recorded silence.
    static func record(_ core: CoreSubscriber) async throws -> CallApplication {
        try await core.open()
        // It need not exist.
        unlink(path)
        let application = CallApplication(core)
        application.connect()
        try await until("the core reports that an application records from its source") {
            if case .recorded = core.status?.virtualMicrophone { true } else { false }
        }
        try await application.recordsSilence(after: .zero)
        return application
    }

    private init(_ core: CoreSubscriber) { self.core = core }

    func close() {
        retry.disarm()
        process?.kill()
        process = nil
    }

    /// Ends it as a crash would, and starts it again once the core has seen that: a recorder that comes at
    /// once takes the place of the one that has gone.
    func crash() async throws {
        process?.kill()
        process = nil
        let core = core
        try await until("the core reports that nothing records") {
            if case .recorded = core.status?.virtualMicrophone { false } else { true }
        }
        connect()
    }

    /// Waits until it records, from now on, the tone that plays into the microphone.
    func recordsTone() async throws {
        silence = nil
        try update()
        var (position, tone) = (bytes.count, ToneDetector())
        do {
            try await eventually("the call application records the tone") {
                try update()
                tone.append(bytes[position...])
                position = bytes.count
                return tone.isDetected
            }
        } catch {
            throw Failure("\(error); it has \(tone.description)")
        }
    }

    /// Checks that each sample of a second is zero, from a moment after now, and that no other one follows
    /// until ``isStillSilent()``.
    ///
    /// - Parameter delay: How long samples may be on their way from the microphone.
    /// - Throws: ``Failure`` if there is sound.
    func recordsSilence(after delay: Duration = .milliseconds(500)) async throws {
        try update()
        let start = bytes.count + Int(delay / .milliseconds(1)) * Self.bytesInSecond / 1000
        try await eventually("the call application has recorded another second") {
            try update()
            return bytes.count >= start + Self.bytesInSecond
        }
        silence = start
        try isStillSilent()
    }

    /// Checks each sample since ``recordsSilence(after:)``.
    func isStillSilent() throws {
        try update()
        guard let silence, let sound = bytes[silence...].firstIndex(where: { $0 != 0 }) else { return }
        let count = bytes[sound...].count { $0 != 0 }
        throw Failure(
            "the call application records \(count) bytes of sound, from \(Double(sound - silence) / 96_000) s on"
        )
    }

    private func connect() {
        connections += 1
        process = nil
        do throws(SystemError) {
            process = try ChildProcess(
                [
                    "parec", "--device=ptt_mic", "--format=s16le", "--rate=48000", "--channels=1",
                    "--latency-msec=20",
                ],
                output: .file(Self.path),
                errors: .nothing,
                // Below the time that the core needs to notice that the server is back.
                ended: { [weak self] _ in self?.retry.arm(after: .milliseconds(20)) }
            )
        } catch {
            retry.arm(after: .milliseconds(20))
        }
    }

    /// Reads what has been recorded since the last call.
    private func update() throws {
        // Before the first samples there is no file.
        guard let file = fopen(Self.path, "re") else { return }
        defer { fclose(file) }
        fseek(file, bytes.count, SEEK_SET)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        guard ferror(file) == 0 else { throw SystemError("read \(Self.path)") }
    }
}

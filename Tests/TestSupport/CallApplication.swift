import ChildProcess
package import EventLoop
import Glibc

/// A call application: `parec`, which records from a source as any program does, and may be moved to another
/// one.
@EventLoop
package final class CallApplication {
    /// Everything that it has recorded: 48 kHz, mono.
    package private(set) var samples: [Int16] = []

    private let process: TestProcess
    private let scratch: Scratch
    private let pipe: OwnedDescriptor
    private var reader: DescriptorSource?
    private let arrivals = AsyncQueue(of: Int.self)
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - server: Where it records.
    ///   - source: Nil for the default source.
    ///   - properties: More properties of its stream, `media.role=phone` for example.
    /// - Throws: If `parec` cannot be started.
    package init(
        _ server: PrivateAudioServer,
        recordingFrom source: String? = "ptt_mic",
        properties: [String] = []
    ) throws {
        scratch = try Scratch()
        let path = scratch.directory + "/samples"
        guard mkfifo(path, 0o600) == 0 else { throw SystemError("make \(path)") }
        // For writing as well: the end of the program is not the end of the pipe.
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        pipe = OwnedDescriptor(adopting: descriptor)
        process = try TestProcess(
            ["parec", "--format=s16le", "--rate=48000", "--channels=1", "--latency-msec=20"]
                + (source.map { ["--device=\($0)"] } ?? []) + properties.map { "--property=\($0)" },
            environment: server.environment,
            output: .file(path),
            errors: .file("/dev/null")
        )
        reader = try DescriptorSource(pipe.value, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit { reader?.cancel() }

    /// The samples that arrive from now on, after `skipping` of them.
    package func next(_ count: Int, skipping: Int = 0) async throws -> ArraySlice<Int16> {
        let start = samples.count + skipping
        while samples.count < start + count { _ = try await arrivals.next() }
        return samples[start..<start + count]
    }

    package func kill() { process.kill() }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = Glibc.read(pipe.value, &buffer, buffer.count)
        guard count > 0 else { return }
        rest += buffer[..<count]
        let even = rest.count & ~1
        rest[..<even].withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: even, by: 2) {
                samples.append(
                    Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
                )
            }
        }
        rest.removeFirst(even)
        arrivals.add(samples.count)
    }
}

extension ArraySlice<Int16> {
    /// The largest magnitude: 0 is exact silence.
    package var loudest: Int { reduce(0) { Swift.max($0, abs(Int($1))) } }
}

import DBus
import EventLoop
import Glibc
import PTTMessages
import WAV

/// A WAV file that a recording is written to. It has no name: nothing is left of one that is never complete.
///
/// Nothing waits for the disk.
@EventLoop
final class RecordingFile {
    /// Bytes that may wait for the disk: ten seconds of every format.
    private static let backlog = 2 << 20
    /// Bytes that are written at a time.
    private static let portion = 64 << 10

    private let descriptor: OwnedDescriptor
    private let format: AudioFormat
    private let failed: @EventLoop (SystemError) -> Void
    private var waiting: [UInt8] = []
    /// Bytes of samples that are on disk.
    private var size = 0
    private var isWriting = false
    private var hasFailed = false
    private var finished: (@EventLoop (BusDescriptor?) -> Void)?

    /// `failed` is called at most once, when the disk does not take the samples. What it took stays.
    ///
    /// - Throws: If the file cannot be made.
    init(_ format: AudioFormat, failed: @escaping @EventLoop (SystemError) -> Void) throws(SystemError) {
        self.format = format
        self.failed = failed
        let state = UserDirectory.state.path ?? "/tmp"
        let directory = state + "/pushtotalk"
        let path = "\(directory)/.recording-\(getpid())-\(MonotonicInstant.now.nanoseconds)"
        // They exist as a rule; where they cannot be made, the file cannot be either.
        for parent in [state, directory] { _ = mkdir(parent, 0o700) }
        descriptor = OwnedDescriptor(adopting: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        guard descriptor.value >= 0 else { throw SystemError("make a recording in \(directory)") }
        guard unlink(path) == 0 else { throw SystemError("hide a recording in \(directory)") }
    }

    func append(_ samples: ArraySlice<UInt8>) {
        guard !hasFailed, finished == nil else { return }
        waiting += samples
        guard waiting.count <= Self.backlog else { return fail(SystemError("write a recording", ETIMEDOUT)) }
        if waiting.count >= Self.portion { write() }
    }

    /// Completes the file. `then` is called later, with nil if nothing is in the file; never, if the disk
    /// hangs.
    func finish(then: @escaping @EventLoop (BusDescriptor?) -> Void) {
        finished = then
        write()
    }

    private func write() {
        guard !isWriting else { return }
        let portion = waiting
        waiting = []
        if portion.isEmpty {
            if finished != nil { complete() }
            return
        }
        run(portion, at: WAVFile.headerSize + size) { file, failure in
            if let failure { file.fail(failure) } else { file.size += portion.count }
            if file.finished != nil || file.waiting.count >= Self.portion { file.write() }
        }
    }

    private func complete() {
        let size = size
        let header = size == 0 ? [] : WAVFile.header(rate: format.rate, channels: format.channels, size: size)
        run(header, at: 0) { file, failure in
            let then = file.finished
            file.finished = nil
            then?(size == 0 || failure != nil ? nil : file.duplicate())
        }
    }

    /// For another program, which reads from the beginning.
    private func duplicate() -> BusDescriptor? {
        let copy = fcntl(descriptor.value, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : BusDescriptor(OwnedDescriptor(adopting: copy))
    }

    private func run(
        _ bytes: [UInt8],
        at position: Int,
        then: @escaping @EventLoop (RecordingFile, SystemError?) -> Void
    ) {
        isWriting = true
        let number = descriptor.value
        // It keeps the file open meanwhile.
        let ended: @EventLoop @Sendable (SystemError?) -> Void = { failure in
            self.isWriting = false
            then(self, failure)
        }
        do throws(SystemError) {
            try EventLoop.spawnBlocking(
                { Self.failure(of: bytes, at: position, in: number) },
                completion: ended
            )
        } catch {
            let error = error
            EventLoop.start { ended(error) }
        }
    }

    /// Writes everything; nil if that did not fail.
    private nonisolated static func failure(
        of bytes: [UInt8],
        at position: Int,
        in descriptor: Int32
    ) -> SystemError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let offset = off_t(position + rest.startIndex)
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return SystemError("write a recording") }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private func fail(_ error: SystemError) {
        waiting = []
        guard !hasFailed else { return }
        hasFailed = true
        failed(error)
    }
}

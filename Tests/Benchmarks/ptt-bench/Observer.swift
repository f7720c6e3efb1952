import EventLoop
import Glibc

/// Reads messages that end with a NUL byte, with the time at which each arrived. The same code observes ours
/// and the other.
@EventLoop
final class Observer {
    struct Message {
        let text: String
        /// Just after the read that brought its last byte.
        let time: MonotonicInstant
    }

    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: 65536)
    private var partial: [UInt8] = []
    private var unread: [Message] = []
    private var hasEnded = false
    private var waiting: CheckedContinuation<Void, Never>?
    private lazy var limit = TimerSource { [weak self] in self?.wake() }

    /// - Parameter descriptor: One that does not block.
    /// - Throws: If it cannot be watched.
    init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
        self.descriptor = descriptor
        source = try DescriptorSource(self.descriptor.value, .readable) { [weak self] _ in self?.read() }
    }

    /// Subscribes to `pttd` without the library: its messages are read undecoded, like those of the other
    /// client.
    convenience init(subscribingAt path: String) throws {
        let socket = try UnixSocket.connect(to: path, .stream)
        let call = Array(#"{"method":"org.pushtotalk.Channel.Subscribe","more":true}"#.utf8) + [0]
        guard send(socket.value, call, call.count, Int32(MSG_NOSIGNAL)) == call.count else {
            throw SystemError("subscribe at \(path)")
        }
        try self.init(adopting: socket)
    }

    /// The first message that contains `text`; the ones before it are dropped.
    ///
    /// - Throws: ``Unmeasurable`` if the observed process has closed the connection.
    func next(_ text: String) async throws -> Message {
        while true {
            while !unread.isEmpty {
                let message = unread.removeFirst()
                if message.text.contains(text) { return message }
            }
            guard !hasEnded else { throw Unmeasurable("what was observed has closed") }
            await withCheckedContinuation { waiting = $0 }
        }
    }

    /// The same; nil if there is none within `duration`.
    func next(_ text: String, within duration: Duration) async throws -> Message? {
        let end = MonotonicInstant.now + duration
        limit.arm(at: end)
        defer { limit.disarm() }
        while true {
            while !unread.isEmpty {
                let message = unread.removeFirst()
                if message.text.contains(text) { return message }
            }
            guard !hasEnded else { throw Unmeasurable("what was observed has closed") }
            guard .now < end else { return nil }
            await withCheckedContinuation { waiting = $0 }
        }
    }

    /// Removes the messages that no caller has waited for, and returns them.
    func removeUnread() -> [Message] {
        defer { unread = [] }
        return unread
    }

    func close() { source?.cancel() }

    private func read() {
        let count = Glibc.read(descriptor.value, &buffer, buffer.count)
        let now = MonotonicInstant.now
        guard count > 0 else {
            if count < 0 && errno == EAGAIN { return }
            source?.cancel()
            hasEnded = true
            return wake()
        }
        partial += buffer[..<count]
        while let end = partial.firstIndex(of: 0) {
            unread.append(Message(text: String(decoding: partial[..<end], as: UTF8.self), time: now))
            partial.removeSubrange(...end)
        }
        if !unread.isEmpty { wake() }
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }
}

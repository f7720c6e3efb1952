import Glibc

/// Encoded messages that have not been sent yet, in order.
struct OutputQueue {
    private let limits: VarlinkLimits
    /// The bytes before `sent` have been sent.
    private var bytes: [UInt8] = []
    private var sent = 0
    /// The ends in `bytes` of the messages that are not completely sent.
    private var ends: [Int] = []
    /// True if a part of the first of these messages has been sent.
    private var isFirstBegun = false

    /// A buffer that grew beyond this is freed when it is empty.
    private static let usualSize = 8192

    init(limits: VarlinkLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { sent == bytes.count }

    /// Messages of which a part at least has not been sent.
    var count: Int { ends.count }

    /// Memory beyond that of the usual size.
    var extraBytes: Int { max(0, bytes.capacity - Self.usualSize) }

    /// - Parameter write: Appends a message with its NUL byte.
    /// - Returns: False if the limits leave no room; the queue is then unchanged.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Bool {
        guard count < limits.backlogMessages else { return false }
        if sent > Self.usualSize / 2, sent > bytes.count / 2 { compact() }
        let end = bytes.count
        write(&bytes)
        guard bytes.count - sent <= limits.backlogBytes else {
            bytes.removeSubrange(end...)
            return false
        }
        ends.append(bytes.count)
        return true
    }

    /// Sends as much as the socket accepts now.
    ///
    /// - Returns: The `errno` of an error after which nothing more can be sent, or nil.
    mutating func send(to descriptor: Int32) -> Int32? {
        while !isEmpty {
            let sent = withUnsent {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if sent >= 0 {
                remove(sent)
            } else if errno == EAGAIN {
                return nil
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    func withUnsent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }

    /// Removes the first `count` unsent bytes.
    mutating func remove(_ count: Int) {
        guard count > 0 else { return }
        sent += count
        let complete = ends.firstIndex { $0 > sent } ?? ends.count
        isFirstBegun = complete == 0 || ends[complete - 1] != sent
        ends.removeFirst(complete)
        if isEmpty { removeAll() }
    }

    /// Removes all messages of which no byte has been sent.
    mutating func dropUnbegun() {
        guard isFirstBegun else { return removeAll() }
        bytes = Array(bytes[sent..<ends[0]])
        ends = [bytes.count]
        sent = 0
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.usualSize)
        ends.removeAll(keepingCapacity: true)
        (sent, isFirstBegun) = (0, false)
    }

    private mutating func compact() {
        bytes.removeSubrange(..<sent)
        for index in ends.indices { ends[index] -= sent }
        sent = 0
    }
}

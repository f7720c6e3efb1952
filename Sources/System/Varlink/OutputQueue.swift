import JSON

/// Encoded messages that the peer has not read yet, one behind the other.
struct OutputQueue {
    private let limits: VarlinkLimits
    /// The bytes before `sent` are gone already.
    private var bytes: [UInt8] = []
    private var sent = 0
    /// Where each message that is not wholly sent ends in `bytes`, from `firstEnd` on.
    private var ends: [Int] = []
    private var firstEnd = 0
    /// A part of the first of these messages is gone.
    private var isFirstBegun = false

    /// What a buffer grew beyond this is given back when it is empty.
    private static let usualSize = 8192

    init(limits: VarlinkLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { sent == bytes.count }

    /// Memory beyond that of a peer that reads.
    var extraBytes: Int { max(0, bytes.capacity - Self.usualSize) }

    /// - Returns: False if the limits leave no room; the queue is then as before.
    mutating func append(_ message: JSONObject) -> Bool {
        append { bytes in
            message.write(to: &bytes)
            bytes.append(0)
        }
    }

    /// The same for a message that is encoded, with its NUL byte.
    mutating func append(encoded message: [UInt8]) -> Bool {
        append { $0.append(contentsOf: message) }
    }

    private mutating func append(_ write: (inout [UInt8]) -> Void) -> Bool {
        guard ends.count - firstEnd < limits.backlogMessages else { return false }
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

    func withUnsent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }

    /// Forgets the first `count` unsent bytes.
    mutating func remove(_ count: Int) {
        guard count > 0 else { return }
        sent += count
        var lastEnd: Int?
        while firstEnd < ends.count, ends[firstEnd] <= sent {
            lastEnd = ends[firstEnd]
            firstEnd += 1
        }
        isFirstBegun = lastEnd != sent
        if isEmpty { removeAll() }
    }

    /// Forgets all messages of which no byte has been sent.
    mutating func dropUnbegun() {
        guard isFirstBegun else { return removeAll() }
        bytes = Array(bytes[sent..<ends[firstEnd]])
        ends = [bytes.count]
        (sent, firstEnd) = (0, 0)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.usualSize)
        ends.removeAll(keepingCapacity: true)
        (sent, firstEnd, isFirstBegun) = (0, 0, false)
    }

    private mutating func compact() {
        bytes.removeSubrange(..<sent)
        ends.removeSubrange(..<firstEnd)
        for index in ends.indices { ends[index] -= sent }
        (sent, firstEnd) = (0, 0)
    }
}

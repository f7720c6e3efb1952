import Glibc
package import JSON

/// Bytes that are no Varlink message.
package enum FrameError: Error, Equatable, CustomStringConvertible {
    case tooLong(limit: Int)
    case notJSON(JSONSyntaxError)

    package var description: String {
        switch self {
        case .tooLong(let limit): "a message of more than \(limit) bytes"
        case .notJSON(let error): "a message that is not JSON: \(error)"
        }
    }
}

/// Cuts a stream of bytes into messages: JSON, each followed by one NUL byte (<https://varlink.org/Method-Call>).
///
/// What is not taken stays bytes. Knows no socket, so that it can be fed by hand.
package struct FrameDecoder {
    private let limits: VarlinkLimits
    private var buffer: [UInt8] = []
    /// `start..<end` in the buffer has been received and not been taken.
    private var start = 0
    private var end = 0
    /// No NUL byte is before this.
    private var searched = 0

    /// Most messages are much smaller. What a buffer grew beyond this is given back with the message that needed it.
    private static let usualSize = 4096
    /// Bytes read at once, so that a turn of the loop has an end and little waits behind a call that takes its time.
    private static let largestRead = 64 << 10

    package init(limits: VarlinkLimits = VarlinkLimits()) {
        self.limits = limits
    }

    /// A message has begun and its end has not come, or nobody has taken it.
    package var isInsideMessage: Bool { start < end }

    /// Memory beyond that of a connection with messages of the usual size.
    var extraBytes: Int { max(0, buffer.count - Self.usualSize) }

    /// Offers room for some bytes, at least one.
    ///
    /// - Parameter read: Fills the room from its beginning and returns how many bytes it filled.
    /// - Throws: What `read` throws; nothing is taken then.
    package mutating func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        makeRoom()
        let room = end..<min(buffer.count, end + Self.largestRead)
        var count = 0
        var failure: Failure?
        buffer.withUnsafeMutableBytes { bytes in
            do throws(Failure) {
                count = try read(UnsafeMutableRawBufferPointer(rebasing: bytes[room]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        precondition(count >= 0 && count <= room.count, "More was read than there was room for")
        end += count
    }

    /// Takes `bytes` over.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeSubrange(end...)
        buffer.append(contentsOf: bytes)
        end = buffer.count
    }

    /// Whether ``next()`` has something to take or to refuse.
    package mutating func hasNext() -> Bool {
        frameLength() != nil || end - start > limits.messageSize
    }

    /// Takes the next whole message.
    ///
    /// - Returns: The message, or nil if its end has not been received yet.
    /// - Throws: After an error the rest of the stream means nothing.
    package mutating func next() throws(FrameError) -> JSON? {
        guard let length = frameLength() else {
            if end - start > limits.messageSize { throw .tooLong(limit: limits.messageSize) }
            return nil
        }
        guard length <= limits.messageSize else { throw .tooLong(limit: limits.messageSize) }
        let frame = start..<start + length
        start = frame.upperBound + 1
        searched = start
        defer { giveBack() }
        do throws(JSONSyntaxError) {
            return try JSON(
                parsing: buffer.span.extracting(frame),
                depthLimit: limits.depth,
                valueLimit: limits.values
            )
        } catch {
            throw .notJSON(error)
        }
    }

    /// Bytes before the first NUL byte, if there is one.
    private mutating func frameLength() -> Int? {
        let unsearched = searched..<end
        guard !unsearched.isEmpty else { return nil }
        let found = buffer.withUnsafeBytes { bytes -> Int? in
            let part = UnsafeRawBufferPointer(rebasing: bytes[unsearched])
            guard let first = part.baseAddress, let found = memchr(first, 0, part.count) else { return nil }
            return UnsafeRawPointer(found) - first
        }
        guard let found else {
            searched = end
            return nil
        }
        // Found again at once if it is not taken now.
        searched += found
        return searched - start
    }

    private mutating func makeRoom() {
        if start == end {
            (start, end, searched) = (0, 0, 0)
        } else if start > 0 {
            buffer.removeSubrange(..<start)
            (start, end, searched) = (0, end - start, searched - start)
        }
        guard buffer.count - end < Self.usualSize / 2 else { return }
        // Doubled, but to no more than the longest message and one read need.
        let size = min(max(buffer.count * 2, Self.usualSize), limits.messageSize + Self.largestRead)
        buffer += [UInt8](repeating: 0, count: max(size, end + Self.usualSize) - buffer.count)
    }

    /// Shrinks a buffer that is mostly empty, and so costs less than the reading of what was in it.
    private mutating func giveBack() {
        let left = end - start
        guard buffer.count > Self.usualSize, left <= buffer.count / 4 else { return }
        var smaller = [UInt8](buffer[start..<end])
        smaller += [UInt8](repeating: 0, count: max(0, Self.usualSize - left))
        buffer = smaller
        (start, end, searched) = (0, left, searched - start)
    }
}

import Glibc
package import JSON

/// Divides a stream of bytes into messages: JSON, each followed by one NUL byte
/// (<https://varlink.org/Method-Call>).
///
/// A message is parsed only when ``next()`` is called. The decoder has no socket: tests and fuzzers pass it
/// bytes.
package struct MessageSplitter {
    private let limits: VarlinkLimits
    private var buffer: [UInt8] = []
    /// The bytes `start..<end` of the buffer have been received and not been parsed.
    private var start = 0
    private var end = 0
    /// There is no NUL byte between `start` and this offset.
    private var searched = 0

    /// Most messages are much smaller. A buffer that grew beyond this shrinks after the message that needed
    /// it.
    private static let usualSize = 4096
    /// The most bytes read in one turn of the loop, so that the turn is short and few calls wait in memory
    /// behind a slow one.
    private static let largestRead = 64 << 10

    package init(limits: VarlinkLimits = VarlinkLimits()) {
        self.limits = limits
    }

    /// True if a message has begun and has not been received completely, or not been parsed.
    package var isInsideMessage: Bool { start < end }

    /// Memory beyond that of a connection with messages of the usual size.
    var extraBytes: Int { max(0, buffer.count - Self.usualSize) }

    /// Passes free memory to `read`, at least one byte.
    ///
    /// - Parameter read: Writes received bytes from the beginning of the memory and returns their number.
    package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) {
        makeRoom()
        let room = end..<min(buffer.count, end + Self.largestRead)
        let count = buffer.withUnsafeMutableBytes { bytes in
            read(UnsafeMutableRawBufferPointer(rebasing: bytes[room]))
        }
        precondition(count >= 0 && count <= room.count, "More was read than the buffer had room for")
        end += count
    }

    /// Returns true if ``next()`` would return a message or throw.
    package mutating func hasNext() -> Bool {
        frameLength() != nil || end - start > limits.messageSize
    }

    /// Removes and parses the next complete message.
    ///
    /// - Returns: The message, or nil if its end has not been received yet.
    /// - Throws: After an error the rest of the stream has no meaning.
    package mutating func next() throws(VarlinkProtocolError) -> JSON? {
        let found = frameLength()
        guard found ?? (end - start) <= limits.messageSize else {
            throw VarlinkProtocolError("a message of more than \(limits.messageSize) bytes")
        }
        guard let length = found else { return nil }
        let frame = start..<start + length
        start = frame.upperBound + 1
        searched = start
        defer { shrink() }
        do throws(JSONSyntaxError) {
            return try JSON(
                parsing: buffer.span.extracting(frame),
                depthLimit: limits.depth,
                valueLimit: limits.values
            )
        } catch {
            throw VarlinkProtocolError("a message that is not JSON: \(error)")
        }
    }

    /// The number of bytes before the first NUL byte; nil without one.
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
        // The next search begins at the NUL byte.
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

    /// Shrinks the buffer if it is mostly empty: that costs less than it cost to receive its former content.
    private mutating func shrink() {
        let left = end - start
        guard buffer.count > Self.usualSize, left <= buffer.count / 4 else { return }
        var smaller = [UInt8](buffer[start..<end])
        smaller += [UInt8](repeating: 0, count: max(0, Self.usualSize - left))
        buffer = smaller
        (start, end, searched) = (0, left, searched - start)
    }
}

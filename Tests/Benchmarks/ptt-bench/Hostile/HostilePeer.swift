import EventLoop
import Glibc
import ServiceClient

/// One connection of the attacker. Its calls block, but only for a moment.
struct HostilePeer: ~Copyable {
    private let socket: OwnedDescriptor

    /// - Returns: Nil if the core accepts no more connections.
    init?(to path: RuntimeSocket = .core) {
        let kind: UnixSocket.Kind = path == .audio ? .packets : .stream
        // Too many are connected, or the core is too busy to accept them.
        guard let socket = try? UnixSocket.connect(to: path.path, kind) else { return nil }
        self.socket = socket
        let flags = fcntl(self.socket.value, F_GETFL)
        _ = fcntl(self.socket.value, F_SETFL, flags & ~O_NONBLOCK)  // Cannot fail on a socket.
        wait(atMost: 1)
    }

    /// How long a call may block from now on, in seconds.
    borrowing func wait(atMost seconds: Double) {
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1_000_000) % 1_000_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = setsockopt(socket.value, SOL_SOCKET, option, &time, size)  // Cannot fail on a socket.
        }
    }

    /// - Returns: True if the core accepted all of it.
    @discardableResult
    borrowing func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket.value, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads to the end of the next message.
    ///
    /// - Returns: Its first bytes, or nil if none came within the limit.
    @discardableResult
    borrowing func answer() -> String? {
        var first: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket.value, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            if first.count < 4096 { first += buffer[..<count] }
            if buffer[count - 1] == 0 { return String(decoding: first, as: UTF8.self) }
        }
    }

    /// Sends what the core accepts now, drops its answers, and waits for a moment if there is neither.
    ///
    /// - Returns: How many bytes were sent.
    borrowing func exchange(_ bytes: ArraySlice<UInt8>) -> Int {
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        let sent = bytes.withUnsafeBytes { Glibc.send(socket.value, $0.baseAddress, $0.count, flags) }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let received = recv(socket.value, &buffer, buffer.count, flags)
        if sent <= 0, received <= 0 {
            var state = pollfd(fd: socket.value, events: Int16(POLLIN | POLLOUT), revents: 0)
            _ = poll(&state, 1, 10)  // The next attempt shows whether it is ready.
        }
        return max(0, sent)
    }

    /// Calls, and waits for the answer.
    @discardableResult
    borrowing func call(_ method: String, _ parameters: String = "{}") -> String? {
        guard send(Message.call(method, parameters)) else { return nil }
        return answer()
    }

    borrowing func stopReading() {
        // Cannot fail while connected, and is not an attack otherwise.
        _ = shutdown(socket.value, Int32(SHUT_RD))
    }

    /// Stays connected until this process ends.
    consuming func stay() {
        _ = socket.release()
    }
}

/// Bytes that a hostile peer sends.
enum Message {
    static let size = 1 << 20

    static func call(_ method: String, _ parameters: String, more: Bool = false) -> [UInt8] {
        call(Array(method.utf8), Array(parameters.utf8), more: more)
    }

    static func call(_ method: [UInt8], _ parameters: [UInt8], more: Bool = false) -> [UInt8] {
        let end = more ? #","more":true}"# : "}"
        return Array(#"{"method":""#.utf8) + method + Array(#"","parameters":"#.utf8) + parameters
            + Array(end.utf8) + [0]
    }

    /// To be sorted before they can be compared: half of them belong above a letter, and then half below it.
    static let marks: [UInt8] =
        (0..<125_000).flatMap { _ in [0xCC, 0x81] as [UInt8] }
        + (0..<125_000).flatMap { _ in [0xCC, 0xA3] as [UInt8] }

    /// As large as one may be, in base64.
    static let picture = Array("iVBORw0KGgo".utf8) + [UInt8](repeating: 65, count: 349_497)

    /// A call whose parameter is `start`, then as much of what `part` gives as a message may hold, then
    /// `end`.
    static func large(_ start: String, _ end: String, part: (Int) -> String) -> [UInt8] {
        var parameters = Array(start.utf8)
        var number = 0
        while parameters.count < size - 4096 {
            parameters += part(number).utf8
            number += 1
        }
        return call(Array("org.pushtotalk.Channel.GetStatus".utf8), parameters + Array(end.utf8))
    }

    static func quoted(_ text: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    }

    /// The value of a member that is a string, in the text of an answer.
    static func member(_ name: String, of answer: String?) -> String? {
        guard let answer, let start = answer.range(ofMember: name) else { return nil }
        return String(answer[start...].prefix { $0 != "\"" })
    }
}

extension String {
    fileprivate func range(ofMember name: String) -> Index? {
        let pattern = "\"\(name)\":\""
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(pattern) { return index(place, offsetBy: pattern.count) }
            place = index(after: place)
        }
        return nil
    }
}

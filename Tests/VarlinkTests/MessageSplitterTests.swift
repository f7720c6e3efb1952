import Testing

@testable import JSON
@testable import Varlink

@Suite struct FrameDecoderTests {
    private var limits: VarlinkLimits {
        var limits = VarlinkLimits()
        limits.messageSize = 10_000
        return limits
    }

    @Test(arguments: [1, 2, 3, 7, 137, 143, 4096, 100_000])
    func `messages are complete, whatever the pieces they arrived in`(size: Int) throws {
        let sent: [JSON] = (0..<300).map {
            ["n": .int(Int64($0)), "text": .string(String(repeating: "ä", count: $0))]
        }
        let bytes = sent.flatMap { message -> [UInt8] in Array(message.text.utf8) + [0] }
        var decoder = MessageSplitter(limits: limits)
        var received: [JSON] = []
        var position = 0
        while position < bytes.count {
            let piece = bytes[position..<min(position + size, bytes.count)]
            decoder.fill { room in
                let count = min(room.count, piece.count)
                room.copyBytes(from: piece.prefix(count))
                position += count
                return count
            }
            while let message = try decoder.next() { received.append(message) }
        }
        #expect(received == sent)
        #expect(!decoder.isInsideMessage)
    }

    @Test func `a message may be as long as the limit and not longer`() throws {
        let longest = "\"" + String(repeating: "x", count: 9_998) + "\""
        var decoder = MessageSplitter(limits: limits)
        decoder.append(Array(longest.utf8))
        #expect(try decoder.next() == nil)
        decoder.append([0])
        #expect(try decoder.next()?.text == longest)
        decoder.append(Array("\(longest) ".utf8) + [0])
        #expect(throws: VarlinkProtocolError("a message of more than 10000 bytes")) { try decoder.next() }
    }

    @Test func `an endless message is refused before it ends`() {
        var decoder = MessageSplitter(limits: limits)
        decoder.append([UInt8](repeating: UInt8(ascii: " "), count: 10_001))
        #expect(throws: VarlinkProtocolError("a message of more than 10000 bytes")) { try decoder.next() }
    }

    @Test func `an empty message is refused`() {
        var decoder = MessageSplitter()
        decoder.append([0])
        let problem = JSONSyntaxError(problem: .unexpectedEnd, offset: 0)
        #expect(throws: VarlinkProtocolError("a message that is not JSON: \(problem)")) {
            try decoder.next()
        }
    }
}

extension MessageSplitter {
    /// Receives bytes, in as many pieces as there is room for.
    mutating func append(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            fill { room in
                let piece = rest.prefix(room.count)
                room.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }
    }
}

@Suite struct HeaderTests {
    @Test(arguments: [
        ("[]", "message"), ("1", "message"), ("{}", "method"), (#"{"method":1}"#, "method"),
        (#"{"method":null}"#, "method"), (#"{"method":"a.b.C","parameters":[]}"#, "parameters"),
        (#"{"method":"a.b.C","parameters":"x"}"#, "parameters"), (#"{"method":"a.b.C","more":1}"#, "more"),
        (#"{"method":"a.b.C","oneway":"true"}"#, "oneway"),
        (#"{"method":"a.b.C","upgrade":true}"#, "upgrade"),
        (#"{"method":"a.b.C","more":true,"oneway":true}"#, "more"), (#"{"method":"a.b.C","id":1}"#, "id"),
        (#"{"error":"a.b.C"}"#, "error"),
    ])
    func `a call that breaks the protocol is refused with the wrong key`(text: String, key: String)
        throws
    {
        let message = try JSON(parsing: text)
        let error = #expect(throws: VarlinkProtocolError.self) { try CallMessage(message) }
        #expect(error?.key == key)
    }

    @Test func `optional keys may be null or false, and extensions are ignored`() throws {
        let short = try CallMessage(["method": "a.b.C"])
        let long = try CallMessage([
            "method": "a.b.C", "parameters": nil, "more": false, "oneway": false, "upgrade": false,
            "org.example.x": 1,
        ])
        #expect(short == long)
        #expect(try CallMessage(["method": "a.b.C", "parameters": [:]]) == short)
    }

    @Test(arguments: [
        "[]", #"{"error":1}"#, #"{"error":"a.b.C","continues":true}"#, #"{"continues":1}"#,
        #"{"parameters":1}"#,
        #"{"method":"a.b.C"}"#,
    ])
    func `a reply that breaks the protocol is refused`(text: String) throws {
        let message = try JSON(parsing: text)
        #expect(throws: VarlinkProtocolError.self) { try ReplyMessage(message) }
    }
}

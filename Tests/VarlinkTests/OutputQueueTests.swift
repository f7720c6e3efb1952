import JSON
import Testing

@testable import Varlink

@Suite struct OutputQueueTests {
    private func message(_ number: Int) -> JSONObject {
        ["n": .int(Int64(number)), "x": .string(String(repeating: "x", count: 1000))]
    }

    private func appended(_ message: JSONObject, to queue: inout OutputQueue) -> Bool {
        queue.append {
            message.write(to: &$0)
            $0.append(0)
        }
    }

    private func unsent(_ queue: OutputQueue) -> [UInt8] { queue.withUnsent { Array($0) } }

    @Test(arguments: [0, 1, 500, 1000])
    func `a half-sent message stays when later ones are dropped, also after the buffer was compacted`(
        begun: Int
    ) throws {
        var queue = OutputQueue(limits: VarlinkLimits())
        var all: [UInt8] = []
        for number in 0..<10 {
            try #require(appended(message(number), to: &queue))
            message(number).write(to: &all)
            all.append(0)
        }
        let length = all.count / 10
        queue.remove(8 * length + begun)
        // Enough has been sent for the buffer to be compacted before this.
        try #require(appended(message(10), to: &queue))
        queue.dropUnbegun()
        let rest = begun == 0 ? [] : Array(all[(8 * length + begun)..<(9 * length)])
        #expect(unsent(queue) == rest)
        try #require(appended(["last": true], to: &queue))
        #expect(unsent(queue) == rest + Array(#"{"last":true}"#.utf8) + [0])
        queue.remove(unsent(queue).count)
        #expect(queue.isEmpty)
    }

    @Test func `a buffer that grew is freed`() throws {
        var queue = OutputQueue(limits: VarlinkLimits())
        for number in 0..<200 { try #require(appended(message(number), to: &queue)) }
        #expect(queue.extraBytes > 100_000)
        queue.remove(unsent(queue).count)
        #expect(queue.extraBytes == 0)

        var decoder = MessageSplitter()
        decoder.append(Array(#""\#(String(repeating: "x", count: 500_000))""#.utf8) + [0] + Array("[1".utf8))
        #expect(decoder.extraBytes > 400_000)
        let long = try decoder.next()
        #expect(long != nil)
        #expect(decoder.extraBytes == 0)
        decoder.append(Array("]".utf8) + [0])
        let short = try decoder.next()
        #expect(short == [1])
    }
}

import EventLoop
import Glibc
import Journal
import Logging
import Synchronization
import TestSupport
import Testing

@Suite struct RateLimitTests {
    init() { withRunningLoop() }

    /// The two ends of a socket, such as that of the journal, or of a pipe.
    private func ends(isSocket: Bool) throws -> (reading: Int32, writing: Int32) {
        if isSocket {
            let (near, far) = try UnixSocket.pair(.stream).release()
            // Blocking, as the one that systemd connects.
            _ = fcntl(far, F_SETFL, 0)
            return (near, far)
        }
        var numbers: [Int32] = [-1, -1]
        guard pipe(&numbers) == 0 else { throw SystemError("make a pipe") }
        _ = fcntl(numbers[0], F_SETFL, O_NONBLOCK)
        return (numbers[0], numbers[1])
    }

    private func taken(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [true, false]) func `a stopped reader blocks nothing, and is notified of dropped lines`(
        isSocket: Bool
    ) throws {
        let (reading, writing) = try ends(isSocket: isSocket)
        defer {
            _ = close(reading)
            _ = close(writing)
        }
        let output = LineOutput(writing)
        for number in 0..<10_000 { output.write("line \(number)\n") { "dropped \($0)\n" } }
        var lines = taken(reading).split(separator: "\n")
        #expect(lines.indices.allSatisfy { lines[$0] == "line \($0)" })
        let count = lines.count
        #expect(count < 10_000)
        output.write("last\n") { "dropped \($0)\n" }
        lines = taken(reading).split(separator: "\n")
        #expect(lines == ["dropped \(10_000 - count)", "last"])
    }

    @Test(arguments: [true, false])
    func `lines are written whole, whatever their length and however slow the reader`(
        isSocket: Bool
    ) throws {
        let (reading, writing) = try ends(isSocket: isSocket)
        defer {
            _ = close(reading)
            _ = close(writing)
        }
        let output = LineOutput(writing)
        var text = ""
        for number in 0..<2000 {
            output.write("<\(String(repeating: "ä", count: number * 37 % 3000))>\n") { _ in "left out\n" }
            if number.isMultiple(of: 100) { text += taken(reading) }
        }
        text += taken(reading)
        let lines = text.split(separator: "\n")
        #expect(lines.count > 100)
        #expect(
            lines.allSatisfy {
                $0 == "left out" || $0.hasPrefix("<") && ($0.hasSuffix(">") || $0.hasSuffix("…"))
            }
        )
        #expect(!text.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test @EventLoop
    func `the lines of one peer are limited, and the suppressed ones are counted at the end of the window`()
        async throws
    {
        let written = AsyncQueue(of: String.self)
        var handler = JournalLogHandler(isJournal: false) { written.add($0) }
        handler.logLevel = .info
        let log = RateLimitedLog(
            Logger(label: "") { [handler] _ in handler },
            linesPerPeer: 3,
            lines: 5,
            window: .seconds(1)
        )
        for _ in 0..<1000 { log.log(level: .info, "from 1", about: 1) }
        for _ in 0..<1000 { log.log(level: .info, "from 2", about: 2) }
        log.log(level: .debug, "not at this level", about: 3)
        #expect(
            try await written.next(5)
                == ["from 1", "from 1", "from 1", "from 2", "from 2"].map { "info: \($0)\n" }
        )
        #expect(try await written.next().hasPrefix("warning: suppressed 998 lines about process 2 "))
        #expect(try await written.next().hasPrefix("warning: suppressed 997 lines about process 1 "))
        log.log(level: .info, "again", about: 1)
        #expect(try await written.next() == "info: again\n")
    }
}

import EventLoop
import Journal
import Logging
import Synchronization
import TestSupport
import Testing

@Suite struct RateLimitTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `the lines of one peer are limited, and the suppressed ones are counted at the end of the window`()
        async throws
    {
        let written = AsyncQueue(of: String.self)
        var handler = JournalLogHandler(
            isJournal: false,
            isPrintable: { _ in true },
            write: { written.add($0) }
        )
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

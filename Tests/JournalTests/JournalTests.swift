import Journal
import Logging
import PTTMessages
import Synchronization
import Testing

@Suite struct JournalTests {
    private final class Lines: Sendable {
        let written = Mutex("")
    }

    private func logged(isJournal: Bool, _ log: (Logger) -> Void) -> String {
        let lines = Lines()
        var handler = JournalLogHandler(isJournal: isJournal, isPrintable: \.isPrintable) { line in
            lines.written.withLock { $0 += line }
        }
        handler.logLevel = .trace
        log(Logger(label: "test") { _ in handler })
        return lines.written.withLock { $0 }
    }

    @Test func `a line begins with its priority in the journal and with its level elsewhere`() {
        let levels: [(Logger.Level, Int)] = [
            (.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
        ]
        for (level, priority) in levels {
            #expect(logged(isJournal: true) { $0.log(level: level, "text") } == "<\(priority)>text\n")
            #expect(logged(isJournal: false) { $0.log(level: level, "text") } == "\(level): text\n")
        }
    }

    @Test func `fields are sorted by their names`() {
        let line = logged(isJournal: true) { $0.info("text", metadata: ["b": "2", "a": "x y", "c": ""]) }
        #expect(line == "<6>text a=\"x y\" b=2 c=\"\"\n")
    }

    @Test(arguments: [
        "\n<0>forged", "\r\n<0>forged", "\u{2028}<0>forged", "\u{0}<0>forged", "\u{85}<0>forged",
        "\u{202E}forged", "\u{2069}forged", "\u{E0041}forged", "\u{9B}2J",
    ])
    func `a peer's text cannot begin a line`(text: String) {
        let line = logged(isJournal: true) { $0.info("name \(text)", metadata: ["\(text)": "\(text)"]) }
        #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control }.map(\.value) == [10])
        #expect(line.hasSuffix("\n"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { $0.isPrintable })
    }

    @Test func `a peer's text cannot forge a field`() {
        let line = logged(isJournal: true) {
            $0.info("text", metadata: ["name": "x uid=0", "other": "\" uid=0"])
        }
        #expect(line == "<6>text name=\"x uid=0\" other=\"\\\" uid=0\"\n")
    }

    @Test func `a line is bounded, whatever a peer sends`() {
        let text = String(repeating: "x", count: 1 << 20)
        #expect(logged(isJournal: true) { $0.info("\(text)") }.utf8.count < 4096)
        #expect(logged(isJournal: true) { $0.info("x", metadata: ["a": "\(text)"]) }.utf8.count < 4096)
    }
}

/// A text file that tells what happened and what must follow.
///
/// Lines with `#` name what it proves. Lines that begin with a time, `1.5s`, are an event or an effect at that time,
/// indented or not, alternating or not: what a daemon logs can be pasted. All other lines are settings.
public struct TraceFile: Sendable, CustomStringConvertible {
    public struct Line: Sendable {
        public let text: String
        public let time: Duration
        /// What follows the time.
        public let words: TraceWords
    }

    public let name: String
    public let proof: String
    public let settings: [TraceWords]
    public let lines: [Line]

    public var description: String { name }

    public init(_ file: DataFile) throws {
        var proof: [Substring] = []
        var settings: [TraceWords] = []
        var lines: [Line] = []
        for line in file.text.split(separator: "\n") {
            if line.hasPrefix("#") {
                proof.append(line.dropFirst().trimmingPrefix(" "))
                continue
            }
            var words = try TraceWords(line)
            if let time = try? words.time() {
                // Not a time: a setting, which needs no report here.
                lines.append(Line(text: String(line.drop { $0 == " " }), time: time, words: words))
            } else {
                settings.append(try TraceWords(line))
            }
        }
        name = file.name
        self.proof = proof.joined(separator: " ")
        self.settings = settings
        self.lines = lines
    }
}

/// The words of one line; a quoted text is one word.
public struct TraceWords: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    private var words: [String] = []
    private var position = 0

    public init(_ line: some StringProtocol) throws {
        var word: String?
        var isQuoted = false
        var isEscaped = false
        for character in line {
            switch character {
            case _ where isEscaped:
                word?.append(character)
                isEscaped = false
            case "\\" where isQuoted:
                isEscaped = true
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let complete = word { words.append(complete) }
                word = nil
            default:
                word = (word ?? "") + String(character)
            }
        }
        guard !isQuoted else { throw Failure("a quotation mark is missing in: \(line)") }
        if let complete = word { words.append(complete) }
    }

    public var isAtEnd: Bool { position >= words.count }

    public mutating func next() throws -> String {
        guard !isAtEnd else { throw Failure("the line ends too early: \(words.joined(separator: " "))") }
        defer { position += 1 }
        return words[position]
    }

    public mutating func next<Value>(_ what: String, _ parse: (String) -> Value?) throws -> Value {
        let word = try next()
        guard let value = parse(word) else { throw Failure("\(word) is no \(what)") }
        return value
    }

    public mutating func number() throws -> Int {
        try next("number") { Int($0) }
    }

    /// `1.5s`
    public mutating func time() throws -> Duration {
        try next("time") { word in
            guard word.hasSuffix("s") else { return nil }
            let parts = word.dropLast().split(separator: ".", maxSplits: 1)
            guard let first = parts.first, let seconds = Int64(first) else { return nil }
            guard parts.count == 2 else { return .seconds(seconds) }
            let digits = parts[1] + String(repeating: "0", count: max(0, 9 - parts[1].count))
            return Int64(digits).map { .seconds(seconds) + .nanoseconds($0) }
        }
    }
}

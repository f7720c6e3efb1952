/// A text file of events and of the effects that they must have.
///
/// Lines with `#` name what it proves. Lines that begin with a time, `1.5s`, are an event or an effect at
/// that time, indented or not, alternating or not: what a daemon logs can be pasted. All other lines are
/// settings.
package struct TraceFile: Sendable, CustomStringConvertible {
    package struct Line: Sendable {
        package let text: String
        package let time: Duration
        /// The rest of the line.
        package let words: TraceWords
    }

    package let name: String
    package let proof: String
    /// The lines before the first one with a time, as they are in the file.
    package let heading: String
    package let settings: [TraceWords]
    package let lines: [Line]

    package var description: String { name }

    package init(_ file: DataFile) throws {
        var proof: [Substring] = []
        var settings: [TraceWords] = []
        var lines: [Line] = []
        var heading = ""
        for line in file.text.split(separator: "\n") {
            if line.hasPrefix("#") {
                heading += "\(line)\n"
                proof.append(line.dropFirst().trimmingPrefix(" "))
                continue
            }
            var words = try TraceWords(line)
            if let time = try? words.time() {
                // Not a time: a setting, which needs no report here.
                lines.append(Line(text: String(line.drop { $0 == " " }), time: time, words: words))
            } else {
                heading += "\(line)\n"
                settings.append(try TraceWords(line))
            }
        }
        name = file.name
        self.heading = heading
        self.proof = proof.joined(separator: " ")
        self.settings = settings
        self.lines = lines
    }
}

/// The words of one line; a quoted text is one word.
package struct TraceWords: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    private var words: [String] = []
    private var position = 0

    package init(_ line: some StringProtocol) throws {
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

    package var isAtEnd: Bool { position >= words.count }

    package mutating func next() throws -> String {
        guard !isAtEnd else { throw Failure("the line ends too early: \(words.joined(separator: " "))") }
        defer { position += 1 }
        return words[position]
    }

    package mutating func next<Value>(_ what: String, _ parse: (String) -> Value?) throws -> Value {
        let word = try next()
        guard let value = parse(word) else { throw Failure("\(word) is not a \(what)") }
        return value
    }

    package mutating func number() throws -> Int {
        try next("number") { Int($0) }
    }

    /// `1.5s`
    package mutating func time() throws -> Duration {
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

import PTTMessages
import TestSupport

/// A line of a trace, or what stands in parentheses.
indirect enum TraceText {
    case word(String)
    case quoted(String)
    case group([TraceText])

    static func words(of line: some StringProtocol) throws -> [TraceText] {
        var parser = Parser(rest: Array(line)[...])
        let words = try parser.words()
        guard parser.rest.isEmpty else { throw TraceWords.Failure("a parenthesis is too much in: \(line)") }
        return words
    }

    private struct Parser {
        var rest: ArraySlice<Character>

        mutating func words() throws -> [TraceText] {
            var words: [TraceText] = []
            while let character = rest.first, character != ")" {
                switch character {
                case " ": rest.removeFirst()
                case "\"": words.append(.quoted(try quoted()))
                case "(":
                    rest.removeFirst()
                    words.append(.group(try self.words()))
                    guard rest.popFirst() == ")" else {
                        throw TraceWords.Failure("a parenthesis is missing")
                    }
                default:
                    let word = rest.prefix { !" ()\"".contains($0) }
                    rest.removeFirst(word.count)
                    words.append(.word(String(word)))
                }
            }
            return words
        }

        private mutating func quoted() throws -> String {
            rest.removeFirst()
            var text = ""
            while let character = rest.popFirst() {
                if character == "\"" { return text }
                guard character == "\\" else {
                    text.append(character)
                    continue
                }
                if let escaped = rest.popFirst() { text.append(escaped) }
            }
            throw TraceWords.Failure("a quotation mark is missing")
        }
    }
}

/// The unread rest of a line, or of the text in parentheses.
final class TracePart {
    private(set) var words: ArraySlice<TraceText>

    init(_ words: [TraceText]) {
        self.words = words[...]
    }

    /// The next word, if it stands without quotation marks.
    var name: String? {
        if case .word(let name) = words.first { name } else { nil }
    }

    func skip(_ name: String) throws {
        guard self.name == name else { throw TraceWords.Failure("\(name) is missing") }
        words.removeFirst()
    }

    func checkEnd() throws {
        if let word = words.first { throw TraceWords.Failure("\(word) is not known here") }
    }

    /// A structure that may stand without parentheses.
    func spread<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if isValue(type) { return try next(type) }
        if case .group = words.first { return try next(type) }
        return try Value(from: TraceDecoder(part: self))
    }

    func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch words.first {
        case nil: throw TraceWords.Failure("a \(type) is missing")
        case .group(let group):
            words.removeFirst()
            let part = TracePart(group)
            let value = try Value(from: TraceDecoder(part: part))
            try part.checkEnd()
            return value
        case .word, .quoted: return try scalar(type)
        }
    }

    func next<Value>(_ type: Value.Type, _ parse: (String) -> Value?) throws -> Value {
        guard case .word(let word) = words.popFirst(), let value = parse(word) else {
            throw TraceWords.Failure("a \(type) is missing")
        }
        return value
    }

    private func isValue(_ type: any Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Bool.self || type is any WireEnum.Type
    }

    private func scalar<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case let type as any WireEnum.Type: return try next(Value.self) { type.init(rawValue: $0) as? Value }
        case is Int.Type: return try next(Value.self) { Int($0) as? Value }
        case is Bool.Type: return try next(Value.self) { Bool($0) as? Value }
        case is String.Type:
            switch words.popFirst() {
            case .word(let text), .quoted(let text): if let value = text as? Value { return value }
            case .group, nil: break
            }
            throw TraceWords.Failure("a text is missing")
        default:
            // A type that stands for a text or a number.
            return try Value(from: TraceDecoder(part: self))
        }
    }
}

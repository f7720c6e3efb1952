import Glibc
import Testing

@testable import JSON

@Suite struct JSONParsingTests {
    @Test(
        arguments: [
            ("null", nil), (" true\r\n", true), ("\t-0", 0), ("12", 12), ("-7", -7),
            ("9223372036854775807", 9_223_372_036_854_775_807),
            ("-9223372036854775808", -9_223_372_036_854_775_808),
            ("9223372036854775808", 9223372036854775808.0), ("1.0", 1.0), ("1e2", 100.0), ("-2.5E-1", -0.25),
            ("3.141592653589793", 3.141592653589793), ("\"\"", ""),
            (#""a\"\\\/\b\f\n\r\tä""#, "a\"\\/\u{8}\u{c}\n\r\tä"),
            (#""\u0041\u00e4\ud83d\ude00\u0000""#, "Aä😀\0"), ("[]", []), ("[1,[2],{}]", [1, [2], [:]]),
            (#"{ "a" : 1 , "b" : [ null ] }"#, ["a": 1, "b": [nil]]),
        ] as [(String, JSON)]
    )
    func `valid text is parsed`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("tru", .unexpectedEnd, 3),
            ("trux", .unexpectedByte, 3),
            ("01", .unexpectedByte, 1), ("-", .unexpectedEnd, 1), ("+1", .unexpectedByte, 0),
            ("1.", .unexpectedEnd, 2),
            (".5", .unexpectedByte, 0), ("1e", .unexpectedEnd, 2), ("1.e1", .unexpectedByte, 2),
            ("1e999", .numberOutOfRange, 0), ("NaN", .unexpectedByte, 0), ("1 2", .trailingBytes, 2),
            ("{} x", .trailingBytes, 3), ("\u{FEFF}1", .unexpectedByte, 0), ("[1,]", .unexpectedByte, 3),
            ("[1 2]", .unexpectedByte, 3), ("[", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1),
            ("{1:2}", .unexpectedByte, 1), (#"{"a"}"#, .unexpectedByte, 4), (#"{"a":}"#, .unexpectedByte, 5),
            (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a":1,"a":2}"#, .duplicateKey, 7),
            (#"{"a":1,"\u0061":2}"#, .duplicateKey, 7), (#""abc"#, .unexpectedEnd, 4),
            ("\"a\nb\"", .controlCharacter, 2),
            (#""\x""#, .invalidEscape, 1), (#""\u12g4""#, .invalidEscape, 1), (#""\u12"#, .unexpectedEnd, 1),
            (#""\ud800""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
            (#""\udc00""#, .loneSurrogate, 1),
            ("'a'", .unexpectedByte, 0), ("[1]/**/", .trailingBytes, 3), (#""\"#, .unexpectedEnd, 1),
        ] as [(String, JSONSyntaxError.Problem, Int)]
    )
    func `invalid text is refused with the offset of its error`(
        text: String,
        problem: JSONSyntaxError.Problem,
        offset: Int
    ) {
        #expect(failure(Array(text.utf8)) == JSONSyntaxError(problem: problem, offset: offset))
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]]
    )
    func `bytes that are not UTF-8 are refused in strings with and without escapes`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(failure([quote, 0x61] + bytes + [quote])?.problem == .invalidUTF8)
        #expect(failure([quote, 0x61] + bytes + [quote])?.offset == 2)
        #expect(failure([quote] + Array("\\n".utf8) + bytes + [quote])?.problem == .invalidUTF8)
        #expect(failure([quote] + Array("\\n".utf8) + bytes + [quote])?.offset == 3)
    }

    @Test func `an escape does not complete a broken character`() {
        let bytes: [UInt8] = [0x22, 0xC3] + Array("\\u00a4".utf8) + [0x22]
        #expect(failure(bytes)?.problem == .invalidUTF8)
    }

    @Test func `nesting is allowed up to the limit and not beyond`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSON(parsing: nested(32))
        #expect(failure(Array(nested(33).utf8)) == JSONSyntaxError(problem: .tooDeep, offset: 32))
        #expect(failure(Array(repeating: UInt8(ascii: "["), count: 1_000_000))?.problem == .tooDeep)
        #expect(throws: JSONSyntaxError(problem: .tooDeep, offset: 5)) {
            try JSON(parsing: #"{"a":{}}"#, depthLimit: 1)
        }
    }

    @Test func `a duplicate key is found among many`() {
        let members = (0..<40).map { "\"k\($0)\":0" }
        #expect(failure(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
        let doubled = members + ["\"k3\":0"]
        #expect(failure(Array("{\(doubled.joined(separator: ","))}".utf8))?.problem == .duplicateKey)
    }

    @Test func `a hundred thousand members do not cost quadratic time`() throws {
        /// What the processor takes, whatever else runs on it.
        func processorTime(of count: Int) throws -> Int {
            let members = (0..<count).map { "\"\($0)\":0" }.joined(separator: ",")
            let before = clock()
            _ = try JSON(parsing: "{\(members)}", valueLimit: 100_001)
            return clock() - before
        }
        // Ten times as many; quadratic would be a hundred times.
        #expect(try processorTime(of: 100_000) < 40 * processorTime(of: 10_000))
    }

    @Test func `a text has as many values as the limit and not more`() throws {
        _ = try JSON(parsing: #"[1,{"a":[]}]"#, valueLimit: 4)
        #expect(throws: JSONSyntaxError(problem: .tooManyValues, offset: 8)) {
            try JSON(parsing: #"[1,{"a":[]}]"#, valueLimit: 3)
        }
        let many = "[" + String(repeating: "[],", count: 300_000) + "[]]"
        #expect(failure(Array(many.utf8))?.problem == .tooManyValues)
    }

    @Test func `keys and texts are compared by their bytes, however they look`() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let object = try #require(try JSON(parsing: #"{"\#(composed)":1,"\#(decomposed)":2}"#).object)
        #expect(object[composed] == 1)
        #expect(object[decomposed] == 2)
        #expect(JSON.string(composed) != JSON.string(decomposed))
        #expect(JSON.string(composed) == JSON.string(composed + ""))
        let members = (0..<40).map { "\"k\($0)\":0" } + ["\"\(composed)\":1", "\"\(decomposed)\":2"]
        #expect(failure(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
    }

    @Test(arguments: ["\u{301}", "\u{10A0F}", "\u{302A}", "\u{344}"])
    func `thirty combining marks in a row are text, more are not`(mark: String) throws {
        func piled(_ count: Int) -> String { "\"x" + String(repeating: mark, count: count) + "y\"" }
        _ = try JSON(parsing: piled(30))
        _ = try JSON(parsing: "[\(piled(30)),\(piled(30))]")
        #expect(failure(Array(piled(31).utf8)) == JSONSyntaxError(problem: .tooManyMarks, offset: 1))
        #expect(failure(Array(#"{\#(piled(31)):0}"#.utf8))?.problem == .tooManyMarks)
        let escaped = String(repeating: #"\u0301"#, count: 31)
        #expect(failure(Array("\"\(escaped)\"".utf8))?.problem == .tooManyMarks)
        let broken = "\"" + String(repeating: String(repeating: mark, count: 30) + "x", count: 1000) + "\""
        _ = try JSON(parsing: broken)
    }

    @Test func `a quarter of a million combining marks are refused as a key and as a text`() {
        let marks = String(repeating: "\u{301}\u{323}", count: 125_000)
        #expect(failure(Array(#"{"a\#(marks)":1,"a\#(marks)\u0301":1}"#.utf8))?.problem == .tooManyMarks)
        #expect(failure(Array(#"{"method":"a\#(marks)"}"#.utf8))?.problem == .tooManyMarks)
    }

    @Test func `every prefix of a message is refused and none traps`() throws {
        let text =
            #"{"method":"a.b.C","parameters":{"x":[-1.5e3,true,null,"ä\u00e4\ud83d\ude00"]},"more":true}"#
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count { #expect(failure(Array(bytes[..<length])) != nil) }
        #expect(failure(bytes) == nil)
    }

    private func failure(_ bytes: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSON(parsing: bytes.span)
            return nil
        } catch {
            return error
        }
    }
}

@Suite struct JSONWritingTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (.int(.min), "-9223372036854775808"),
            (.int(.max), "9223372036854775807"), (0, "0"), (-7, "-7"), (1200, "1200"), ("", "\"\""),
            ("\n", #""\n""#), ("a\tb", #""a\tb""#),
            (1.0, "1.0"), (0.1, "0.1"), (3.141592653589793, "3.141592653589793"), (.double(.nan), "null"),
            (.double(-.infinity), "null"), ("a\"\\\n\u{1}\u{1f}ä😀", #""a\"\\\n\u0001\u001fä😀""#),
            ([1, [], "x"], #"[1,[],"x"]"#), (["b": 1, "a": [:]], #"{"b":1,"a":{}}"#),
        ] as [(JSON, String)]
    )
    func `a value is written as the shortest text`(value: JSON, text: String) {
        #expect(value.text == text)
    }

    @Test func `every double reads back as it was written`() throws {
        var numbers = SystemRandomNumberGenerator()
        var values: [Double] = [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 1e23]
        for _ in 0..<10_000 { values.append(Double(bitPattern: numbers.next())) }
        for value in values where value.isFinite {
            guard case .double(let read) = try JSON(parsing: JSON.double(value).text) else {
                Issue.record("\(value) became no double")
                return
            }
            #expect(read.bitPattern == value.bitPattern)
        }
    }
}

import Testing

@testable import TOML

@Suite struct TOMLTests {
    private struct Settings: Decodable, Equatable {
        struct Audio: Decodable, Equatable {
            var source: String?
            var gain: Double
        }

        var limit: Int
        var audio: Audio?
        var buttons: [Button]?

        struct Button: Decodable, Equatable {
            var name: String
        }
    }

    @Test func `a text is decoded to a value, and optional keys may be missing`() throws {
        let text = """
            # A comment
            limit = 60
            [audio]
            gain = 1.5
            [[buttons]]
            name = "left \\u00e4"
            [[buttons]]
            name = 'right "x"'
            """
        let settings = try TOML.decode(Settings.self, from: text)
        let buttons = [Settings.Button(name: "left ä"), Settings.Button(name: "right \"x\"")]
        #expect(
            settings == Settings(limit: 60, audio: Settings.Audio(source: nil, gain: 1.5), buttons: buttons)
        )
        #expect(try TOML.decode(Settings.self, from: "limit = 1").audio == nil)
    }

    @Test(arguments: [
        ("limit = ", 1, 9), ("limit = 1\nlimit = 2", 2, 9), ("limit = 1\n[audio\n", 2, 7),
        ("\n\nlimit = 'x", 3, 11),
    ])
    func `text that is not TOML is refused with line and column`(text: String, line: Int, column: Int) {
        let error = #expect(throws: TOMLError.self) { try TOML.decode(Settings.self, from: text) }
        #expect(error?.place == TOMLError.Place(line: line, column: column))
        #expect(error?.reason.isEmpty == false)
    }

    @Test(arguments: [
        ("limit = 1\nlimt = 2", 2, 8, "limt is not known"),
        ("limit = 'x'", 1, 9, "limit should be an integer but is a string"),
        ("limit = 1\n[audio]\ngain = 1\nsorce = 'x'", 4, 9, "audio.sorce is not known"),
        ("limit = 1\n[audio]\nsource = 'x'", 2, 1, "audio.gain is missing"),
        (
            "limit = 1\n[[buttons]]\nname = 'a'\n[[buttons]]\nname = 1", 5, 8,
            "buttons[1].name should be a string but is an integer"
        ),
    ])
    func `a value of the wrong type is reported with line and column`(
        text: String,
        line: Int,
        column: Int,
        reason: String
    ) {
        #expect(throws: TOMLError(place: TOMLError.Place(line: line, column: column), reason: reason)) {
            try TOML.decode(Settings.self, from: text)
        }
    }

    // toml++ asserts that this cannot be.
    @Test(arguments: ["[\n[audio]", "[\n", "limit = 1\n[\n\n]"])
    func `text that the parser does not expect is refused`(text: String) {
        #expect(throws: TOMLError.self) { try TOML.decode(Settings.self, from: text) }
    }

    @Test func `a missing key at the top level has no place`() {
        #expect(throws: TOMLError(place: nil, reason: "limit is missing")) {
            try TOML.decode(Settings.self, from: "")
        }
    }

    @Test func `hostile text is refused and does not trap`() {
        let texts = [
            "x = " + String(repeating: "[", count: 100_000), "x = \u{0}", "\u{FEFF}x = 1", "x = '\u{0}'",
            "limit = 9223372036854775808", "limit = nan", "limit = 1979-05-27",
            "x = " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        ]
        for text in texts {
            #expect(throws: TOMLError.self) { try TOML.decode(Settings.self, from: text) }
        }
    }
}

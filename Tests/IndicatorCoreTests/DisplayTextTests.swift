import IndicatorCore
import PTTMessages
import Testing

struct DisplayTextTests {
    @Test(arguments: [
        ("Anna", "Anna"),
        ("Zoë Đỗ 李 Ελένη", "Zoë Đỗ 李 Ελένη"),
        ("👩‍👩‍👧‍👦 🏳️‍🌈", "👩‍👩‍👧‍👦 🏳️‍🌈"),
        ("", ""),
        ("  Anna \t\r\n  B. ", "Anna B."),
        ("\u{1B}[31mred\u{7}", "[31mred"),
        // Right-to-left override, isolates, byte order mark, soft hyphen.
        ("\u{202E}annA\u{202C}\u{2066}x\u{2069}\u{FEFF}y\u{AD}z", "annAxyz"),
        ("\u{2028}\u{2029}\u{0}", ""),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
        ("\u{E000}\u{10FFFF}a", "a"),
    ])
    func `a text is one line of what can be seen`(text: String, shown: String) {
        #expect(DisplayText(text).text == shown)
    }

    @Test func `a long text is cut, however long it is`() {
        for text in [
            String(repeating: "a", count: 100_000), String(repeating: "\u{202E}a", count: 50_000),
            String(repeating: "👩‍👩‍👧‍👦", count: 10_000),
        ] {
            let shown = DisplayText(text).text
            #expect(shown.unicodeScalars.count <= DisplayText.limit)
            #expect(shown.hasSuffix("…"))
        }
        let exact = String(repeating: "a", count: DisplayText.limit)
        #expect(DisplayText(exact).text == exact)
    }

    @Test func `marks do not pile up over the lines around`() {
        let shown = DisplayText("Z" + String(repeating: "\u{0301}", count: 500) + "x").text
        #expect(shown.unicodeScalars.count == 5)
    }

    @Test func `a text that cannot be seen at all is empty, after a bounded search`() {
        #expect(DisplayText(String(repeating: "\u{200B}", count: 100_000)).isEmpty)
        #expect(DisplayText(String(repeating: "\u{301}", count: 100_000)).or(Text("Somebody")) == "Somebody")
    }
}

import Foundation
import Testing

@testable import PTTMessages

/// Texts for people, and their translation.
@Suite struct TextTests {
    private static func translation(_ catalogue: [String: String]) -> (String) -> String {
        { catalogue[$0] ?? $0 }
    }

    @Test func `what is put into a text stays as it is, and a translation may move it`() {
        let text = Text("\("Anna") hears \("Bert")")
        #expect(text.english == "Anna hears Bert")
        let translated = text.translated(
            by: Self.translation(["%1$s hears %2$s": "%2$s <- %1$s", "Anna": "?"])
        )
        #expect(translated == "Bert <- Anna")
    }

    @Test func `a text within a text is translated too`() {
        let inner = Text("nobody")
        let outer = Text("\(inner) speaks, \(3) hear")
        #expect(outer.english == "nobody speaks, 3 hear")
        let catalogue = ["nobody": "niemand", "%1$s speaks, %2$s hear": "%1$s spricht, %2$s hören"]
        #expect(outer.translated(by: Self.translation(catalogue)) == "niemand spricht, 3 hören")
    }

    @Test func `joined literals are one text, numbered through`() {
        let text = Text("\("a") and " + "\("b")")
        #expect(text.translated(by: Self.translation(["%1$s and %2$s": "%2$s, %1$s"])) == "b, a")
    }

    @Test(arguments: ["100 %", "%", "%%", "%1$s", "a%sb"]) func `a percent sign is one`(sign: String) {
        #expect(Text(sent: [sign]).english == sign)
        #expect(Text("\(sign): \(sign)").english == "\(sign): \(sign)")
        #expect(Text(verbatim: sign).translated { _ in "other" } == sign)
    }

    @Test(arguments: [
        ("%3$s", "%3$s"), ("%0$s", "%0$s"), ("%", "%"), ("%1", "%1"), ("%1$", "%1$"), ("%s", "%s"),
        ("%99999999999999999999$s", "%99999999999999999999$s"), ("%1$s%1$s", "xx"), ("%%1$s", "%1$s"),
    ]) func `a faulty catalogue is seen, and does no harm`(translation: String, shown: String) {
        #expect(Text("\("x") speaks").translated { _ in translation } == shown)
    }

    @Test(arguments: [
        (Text("nobody"), ["nobody"]), (Text(""), [""]), (Text(verbatim: "Ann"), ["", "Ann"]),
        (Text("\("Ann") and " + "\("Bert") talk"), ["", "Ann", " and ", "Bert", " talk"]),
        (Text("\("Ann")\("Bert")"), ["", "Ann", "", "Bert"]),
        (Text("\(Text("nobody")) talks to " + "\(3)"), ["", "nobody", " talks to ", "3"]),
    ]) func `a text that is sent in pieces is the same`(text: Text, pieces: [String]) {
        #expect(text.pieces == pieces)
        #expect(Text(sent: pieces) == text)
    }

    @Test func `a text that was sent in pieces is translated where it arrives`() {
        let sent = Text(sent: Text("\("Anna") hears \("%1$s")").pieces)
        let catalogue = ["%1$s hears %2$s": "%2$s <- %1$s", "Anna": "?"]
        #expect(sent.translated(by: Self.translation(catalogue)) == "%1$s <- Anna")
    }

    @Test func `a refusal on the socket has the pieces of its reason`() throws {
        let sent = Refusal(.transmissionNotAllowed, Text("\("Ann") talks"))
        let received = try JSONDecoder().decode(Refusal.self, from: JSONEncoder().encode(sent))
        #expect(received == sent)
        #expect(received.text.pieces == ["", "Ann", " talks"])
    }

    @Test func `pieces that are not those of the reason do not count`() throws {
        let text = #"{"code": "unknown", "reason": "Ann talks", "pieces": ["", "Bert", " sleeps"]}"#
        let refusal = try JSONDecoder().decode(Refusal.self, from: Data(text.utf8))
        #expect(refusal.reason == "Ann talks")
        #expect(refusal.text.pieces == ["Ann talks"])
    }

    @Test func `of an empty text no catalogue is asked, which has its header there`() {
        #expect(Text("").translated { _ in "Language: de" } == "")
    }

    @Test func `texts that read the same are the same`() {
        #expect(Text("Anna speaks") == Text("\("Anna") speaks"))
        #expect(Text("Anna speaks") != Text("\("Bert") speaks"))
    }
}

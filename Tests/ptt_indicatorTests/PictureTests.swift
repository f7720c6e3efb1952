import DBus
import EventLoop
import TestSupport
import Testing

/// Names and pictures of strangers, as a panel shows them.
@Suite(.timeLimit(.minutes(2)))
struct PictureTests {
    init() { withRunningLoop() }

    /// A PNG of 64 by 64 pixels, all 0x00C800.
    static let green = """
        iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATElEQVR42u3PQQkAAAgAseufzFhG8C0MVmA1/SYgICAgICAgICAgICAg\
        ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgcFncr4C1OHup8AAAAABJRU5ErkJggg==
        """
    /// A PNG whose header asks for 30000 by 30000 pixels, 2.7 GB, in 177 bytes.
    static let bomb = """
        iVBORw0KGgoAAAANSUhEUgAAdTAAAHUwCAIAAADpRW/tAAAAeElEQVR42u3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA4av\
        AAEakw3bAAAAAElFTkSuQmCC
        """

    @Test @EventLoop func `a speaker's picture is the icon, and in the menu`() async throws {
        let fixture = try await IndicatorFixture.start()
        let panel = fixture.panel
        try await fixture.speak("Anna", image: Self.green)
        var pixmap: ShownPixmap?
        repeat {
            try await panel.signal("NewIcon")
            pixmap = ShownPixmap(try await panel.properties()["IconPixmap"])
        } while pixmap?.pixel(11, 11) != [0xFF, 0x00, 0xC8, 0x00]
        // Within a circle.
        #expect(pixmap?.pixel(0, 0).first == 0)

        let speaker = try await panel.call("GetLayout", .int32(0), .int32(-1), .strings([]))
        let entry = try panel.entries(speaker.last?.asStructure?[2].asArray)[2]
        #expect(entry?["label"]?.asString == "Anna speaks")
        #expect(entry?["icon-data"]?.asBytes?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)

        try await fixture.speak(nil)
        // Changes from before may still be on their way.
        var removed: [BusValue] = []
        while removed.isEmpty {
            removed = try await panel.signal("ItemsPropertiesUpdated").arguments[1].asArray ?? []
        }
        #expect(removed.first?.asStructure?.last?.asStrings == ["icon-data"])
    }

    @Test @EventLoop func `a picture that asks for gigabytes is not decoded, and the name is shown`()
        async throws
    {
        let fixture = try await IndicatorFixture.start()
        try await fixture.speak("Bert", image: Self.bomb)
        let line = try await fixture.indicator.lines.first { $0.contains("pixels") }
        #expect(line.contains("it has 30000 by 30000 pixels, more than 2048 a side"))
        let layout = try await fixture.panel.layout()
        #expect(layout[2]?["label"]?.asString == "Bert speaks")
        #expect(try await fixture.panel.properties()["Title"]?.asString == "Radio")
    }

    @Test @EventLoop func `a hostile name is one short line without markup of the menu`() async throws {
        let name = "_A\u{202E}n\u{7}na\nX" + String(repeating: "n", count: 4000)
        let fixture = try await IndicatorFixture.start(hasSound: false, channel: String(name.prefix(100)))
        let panel = fixture.panel
        let label = try #require(try await panel.layout()[1]?["label"]?.asString)
        #expect(label.hasPrefix("__An na Xnnn"))
        #expect(label.unicodeScalars.count == 65)
        #expect(label.hasSuffix("…"))
    }
}

import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The built indicator, for somebody who does not read English.
@Suite(.timeLimit(.minutes(2)))
struct LanguageTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the menu is in Arabic, from right to left, and names stay as they are`()
        async throws
    {
        let arabic = try await Catalogue("ar")
        defer { withExtendedLifetime(arabic) {} }
        let fixture = try await IndicatorFixture.start(hasSound: false, language: arabic)
        let panel = fixture.panel
        let menu = try await panel.layout()
        #expect(menu[1]?["label"]?.asString == "Radio")
        #expect(menu[2]?["label"]?.asString == "لا أحد يتكلم")
        #expect(menu[4]?["label"]?.asString == "تكلّم")
        #expect(menu[5]?["label"]?.asString == "غادر")
        let item = try await panel.properties()
        #expect(item["IconAccessibleDesc"]?.asString == "لا أحد يتكلم. لا خادم صوت جاهز")
        #expect(try await panel.textDirection() == "rtl")
    }

    @Test @EventLoop func `without a catalogue of the language it is in English, from left to right`()
        async throws
    {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        #expect(try await fixture.panel.layout()[4]?["label"]?.asString == "Talk")
        #expect(try await fixture.panel.textDirection() == "ltr")
    }
}

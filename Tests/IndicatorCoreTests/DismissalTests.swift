import PTTMessages
import Testing

@testable import IndicatorCore

/// Dismissed notifications, and those that are shown all the same.
@Suite struct DismissalTests {
    @Test func `after a dismissal it is silent until the next speaker`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.close(isDismissed: true)
        daemon.pass(2)
        var view = Destination.speaking("Anna")
        view.isMicrophoneOpen = true
        daemon.show(view)
        daemon.show(.radio)
        #expect(daemon.calls == 1)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 2)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `who began to speak before the dismissal, but was not shown yet, is shown`() {
        var daemon = SimulatedDaemon()
        daemon.show(.radio)
        daemon.show(.speaking("Anna"))
        daemon.close(isDismissed: true)
        daemon.pass(1)
        #expect(daemon.content?.body == "Anna speaks")
        daemon.answers = false
        daemon.pass(1)
        daemon.show(.speaking("Bert"))
        // The daemon has closed Anna's before it was asked to show Bert's in its place.
        daemon.handle(.closed(id: 1, isDismissed: true))
        daemon.handle(.shown(1))
        daemon.pass(1)
        #expect(daemon.content?.body == "Bert speaks")
        daemon.close(isDismissed: true)
        daemon.show(.radio)
        daemon.pass(1)
        #expect(daemon.content == nil)
    }

    @Test func `after a dismissal it is silent until the next channel`() {
        var daemon = SimulatedDaemon()
        daemon.show(.radio)
        daemon.close(isDismissed: true)
        daemon.pass(2)
        var view = Destination.radio
        view.name = Text("Renamed")
        daemon.show(view)
        #expect(daemon.calls == 1)
        view.receiver = .channel(ChannelID(randomBytes: (2, 2)))
        daemon.show(view)
        #expect(daemon.calls == 2)
    }

    @Test func `a button that closes the notification is no dismissal`() {
        var daemon = SimulatedDaemon(actions: true)
        daemon.show(.radio)
        daemon.invoke()
        daemon.close(isDismissed: true)
        daemon.pass(2)
        #expect(daemon.calls == 2)
        #expect(daemon.content?.body == "Nobody speaks")
    }

    @Test func `where a button closes the notification, the next one says at once what the button did`() {
        var daemon = SimulatedDaemon(actions: true)
        daemon.show(.radio)
        daemon.pass(60)
        daemon.invoke()
        daemon.close(isDismissed: true)
        #expect(daemon.content == nil)
        var view = Destination.radio
        view.isMicrophoneOpen = true
        daemon.show(view)
        #expect(daemon.content?.body == "The microphone is open")
        #expect(daemon.calls == 2)
        // Later changes wait, as ever.
        daemon.show(.radio)
        #expect(daemon.calls == 2)
    }
}

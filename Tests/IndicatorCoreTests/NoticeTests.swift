import PTTMessages
import Testing

@testable import IndicatorCore

@Suite struct NoticeTests {
    @Test func `without a panel the notification is there as long as the channel`() {
        var daemon = SimulatedDaemon(actions: true)
        daemon.show(.radio)
        #expect(daemon.content?.summary == "Radio")
        #expect(daemon.content?.body == "Nobody speaks")
        #expect(daemon.content?.actions == [.talk, .leave])
        #expect(daemon.content?.stays == true)
        daemon.show(nil)
        #expect(daemon.content == nil)
    }

    @Test func `with a panel only a speaker is news, and the microphone is not`() {
        var daemon = SimulatedDaemon()
        var view = Destination.radio
        view.hasPanel = true
        daemon.show(view)
        #expect(daemon.calls == 0)
        view.speaker = .init(name: Text("Anna"), imageID: "a")
        daemon.show(view)
        #expect(daemon.content?.body == "Anna speaks")
        #expect(daemon.content?.imageID == "a")
        #expect(daemon.content?.stays == false)
        view.isMicrophoneOpen = true
        view.speaker = nil
        daemon.show(view)
        #expect(daemon.content == nil)
    }

    @Test func `without a panel the notification says that the microphone is open`() {
        var daemon = SimulatedDaemon(actions: true)
        var view = Destination.radio
        view.isMicrophoneOpen = true
        daemon.show(view)
        #expect(daemon.content?.body == "The microphone is open")
        #expect(daemon.content?.urgency == .critical)
        #expect(daemon.content?.actions == [.stop, .leave])
    }

    @Test func `buttons are there only where the daemon has actions`() {
        var daemon = SimulatedDaemon(actions: false)
        daemon.show(.radio)
        #expect(daemon.content?.actions == [])
    }

    @Test func `the name of a stranger is escaped only where the daemon reads markup`() {
        for (isMarkup, body) in [(true, "&lt;b&gt;&amp; speaks"), (false, "<b>& speaks")] {
            var daemon = SimulatedDaemon(markup: isMarkup)
            daemon.show(.speaking("<b>&"))
            #expect(daemon.content.map { $0.escaped($0.body.english) } == body)
        }
    }

    @Test func `a change replaces the notification that is there`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        #expect(daemon.replaced == 0)
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 1)
        #expect(daemon.shown == [1: daemon.content])
    }

    @Test func `after it was closed the next one is new`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.close(isDismissed: false)
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 0)
    }

    @Test func `what expired is not shown again before something changes`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.close(isDismissed: false)
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 1)
    }

    @Test func `signals about the notifications of others change nothing`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        #expect(!daemon.notice.isOurs(7) && !daemon.notice.isOurs(0))
        daemon.handle(.closed(id: 7, isDismissed: true))
        daemon.handle(.closed(id: 0, isDismissed: true))
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 1)
    }

    @Test func `there is one change in a second and it is the last one`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        for name in ["Bert", "Carl", "Dora"] { daemon.show(.speaking(name)) }
        #expect(daemon.calls == 1)
        #expect(daemon.timer == daemon.start + .seconds(1))
        daemon.pass(1)
        #expect(daemon.calls == 2)
        #expect(daemon.content?.body == "Dora speaks")
        #expect(daemon.timer == nil)
    }

    @Test func `the picture of who speaks does not wait, and that of the next one does`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        var view = Destination.speaking("Anna")
        view.speaker?.imageID = "a"
        daemon.show(view)
        #expect(daemon.content?.imageID == "a")
        view.speaker = .init(name: Text("Bert"), imageID: "b")
        daemon.show(view)
        #expect(daemon.content?.imageID == "a")
        daemon.pass(1)
        #expect(daemon.content?.imageID == "b")
    }

    @Test func `no timer runs when the change was taken back`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.show(.speaking("Bert"))
        daemon.show(.speaking("Anna"))
        #expect(daemon.timer == nil)
    }

    @Test func `a daemon that may still answer in time is called once`() {
        var daemon = SimulatedDaemon(answers: false)
        for name in ["Anna", "Bert", "Carl"] {
            daemon.show(.speaking(name))
            daemon.pass(2)
        }
        #expect(daemon.calls == 0 && daemon.questions == 1)
        daemon.handle(.capabilities(nil))
        daemon.show(.speaking("Dora"))
        #expect(daemon.questions == 1)
        daemon.answers = true
        daemon.handle(.serviceChanged(isThere: true))
        #expect(daemon.content?.body == "Dora speaks")
    }

    @Test func `a late answer counts, and there is no second notification beside one that may come`() {
        var daemon = SimulatedDaemon(answers: false)
        daemon.show(.radio)
        daemon.handle(.overdue)
        daemon.handle(.capabilities(["body"]))
        #expect(daemon.calls == 1)
        daemon.handle(.overdue)
        daemon.show(.speaking("Anna"))
        daemon.pass(2)
        #expect(daemon.calls == 1)
        daemon.show(nil)
        daemon.handle(.shown(1))
        #expect(daemon.shown == [:])
    }

    @Test func `what the daemon refused is not repeated`() {
        var daemon = SimulatedDaemon(identifier: nil)
        daemon.show(.speaking("Anna"))
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 1)
        daemon.show(.speaking("Bert"))
        #expect(daemon.calls == 2)
    }

    @Test func `what the daemon refuses to replace is closed: it is not so any more`() {
        var daemon = SimulatedDaemon()
        var view = Destination.radio
        view.isMicrophoneOpen = true
        daemon.show(view)
        daemon.answers = false
        daemon.pass(2)
        daemon.show(.radio)
        #expect(daemon.replaced == 1)
        daemon.handle(.shown(nil))
        #expect(daemon.shown == [:] && daemon.calls == 2)
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        #expect(daemon.replaced == 0)
    }

    @Test func `another daemon is asked what it can and shows the notification again`() {
        var daemon = SimulatedDaemon(actions: true)
        daemon.show(.radio)
        daemon.handle(.serviceChanged(isThere: false))
        #expect(daemon.calls == 1)
        daemon.capabilities = []
        daemon.pass(2)
        daemon.handle(.serviceChanged(isThere: true))
        #expect(daemon.replaced == 0)
        #expect(daemon.content?.actions == [])
        #expect(daemon.questions == 2)
    }

    @Test func `a daemon that ended is started again by the next change only`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.handle(.serviceChanged(isThere: false))
        daemon.pass(2)
        #expect(daemon.questions == 1)
        daemon.show(.speaking("Bert"))
        #expect(daemon.questions == 2)
    }

    @Test func `a bus that comes back has no notification of ours and is asked anew`() {
        var daemon = SimulatedDaemon(answers: false)
        daemon.show(.radio)
        daemon.handle(.busLost)
        daemon.answers = true
        daemon.show(.speaking("Anna"))
        #expect(daemon.questions == 1)
        daemon.handle(.busConnected)
        #expect(daemon.replaced == 0)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `a locked screen shows no name and no picture, at once, and each change anew`() {
        var daemon = SimulatedDaemon(actions: true)
        var view = Destination.speaking("Anna")
        view.speaker?.imageID = "a"
        daemon.show(view)
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content?.body == "Somebody speaks")
        #expect(daemon.content?.imageID == nil)
        #expect(daemon.content?.actions == [])
        #expect(daemon.content?.isOnLockScreen == true)
        // GNOME's lock screen shows no text of one that was there before.
        #expect(daemon.replaced == 0 && daemon.shown.count == 1)
        daemon.pass(2)
        view.speaker = nil
        daemon.show(view)
        #expect(daemon.content?.body == "Nobody speaks")
        #expect(daemon.replaced == 0 && daemon.shown.count == 1)
    }

    @Test func `names are on a locked screen if the person asked for them`() {
        var daemon = SimulatedDaemon(settings: IndicatorSettings(namesOnLockScreen: true))
        var view = Destination.speaking("Anna")
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `a locked screen shows nothing if the person wants it so`() {
        var daemon = SimulatedDaemon(settings: IndicatorSettings(lockScreen: .off))
        daemon.show(.speaking("Anna"))
        var view = Destination.speaking("Anna")
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content == nil)
    }

    @Test func `without notifications the daemon is not even asked`() {
        var daemon = SimulatedDaemon(settings: IndicatorSettings(notifications: false))
        daemon.show(.speaking("Anna"))
        #expect(daemon.questions == 0 && daemon.calls == 0)
    }

    @Test(arguments: ["it ends", "the bus is lost", "it refuses", "it hangs", "it ends while it is called"])
    func `a daemon that cannot show the notification again ends the transmission of its button`(
        fault: String
    ) throws {
        var (indicator, channelID) = try IndicatorTests.joined()
        _ = indicator.handle(.watcherChanged(isThere: false), at: IndicatorTests.now)
        for event in [.busConnected, .capabilities(["actions"]), .shown(1)] as [Notice.Event] {
            _ = indicator.handle(.notice(event), at: IndicatorTests.now)
        }
        // xfce4-notifyd closes the notification for its button.
        let begun = indicator.handle(.notice(.actionInvoked(id: 1, .talk)), at: IndicatorTests.now)
        #expect(begun == [.begin(.notification, channelID)])
        let closed = indicator.handle(.notice(.closed(id: 1, isDismissed: true)), at: IndicatorTests.now)
        #expect(!closed.contains(.end(.notification)))
        switch fault {
        case "it ends", "the bus is lost":
            let event = fault == "it ends" ? Notice.Event.serviceChanged(isThere: false) : .busLost
            let effects = indicator.handle(.notice(event), at: IndicatorTests.now)
            #expect(effects.contains(.end(.notification)))
        default:
            let shown = indicator.handle(.timerFired, at: IndicatorTests.now + .seconds(1))
            #expect(shown.contains { if case .notify = $0 { true } else { false } })
            if fault == "it ends while it is called" {
                _ = indicator.handle(
                    .notice(.serviceChanged(isThere: false)),
                    at: IndicatorTests.now + .seconds(1)
                )
            }
            let event = fault == "it hangs" ? Notice.Event.overdue : .shown(nil)
            let effects = indicator.handle(.notice(event), at: IndicatorTests.now + .seconds(1))
            #expect(effects.contains(.end(.notification)))
        }
    }
}

import IndicatorCore
import PTTMessages
import Testing

@Suite struct NoticeTests {
    @Test func `without a panel the notification is there as long as the channel`() {
        var daemon = Daemon(actions: true)
        daemon.show(.radio)
        #expect(daemon.content?.summary == "Radio")
        #expect(daemon.content?.body == "Nobody speaks")
        #expect(daemon.content?.actions == [.talk, .leave])
        #expect(daemon.content?.stays == true)
        daemon.show(nil)
        #expect(daemon.content == nil)
    }

    @Test func `with a panel only a speaker is news, and the microphone is not`() {
        var daemon = Daemon()
        var view = ChannelView.radio
        view.hasPanel = true
        daemon.show(view)
        #expect(daemon.calls == 0)
        view.speaker = .init(name: "Anna", imageID: "a")
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
        var daemon = Daemon(actions: true)
        var view = ChannelView.radio
        view.isMicrophoneOpen = true
        daemon.show(view)
        #expect(daemon.content?.body == "The microphone is open")
        #expect(daemon.content?.urgency == .critical)
        #expect(daemon.content?.actions == [.stop, .leave])
    }

    @Test func `buttons are there only where the daemon has actions`() {
        var daemon = Daemon(actions: false)
        daemon.show(.radio)
        #expect(daemon.content?.actions == [])
    }

    @Test func `the name of a stranger is escaped only where the daemon reads markup`() {
        for (isMarkup, body) in [(true, "&lt;b&gt;&amp; speaks"), (false, "<b>& speaks")] {
            var daemon = Daemon(markup: isMarkup)
            daemon.show(.speaking("<b>&"))
            #expect(daemon.content?.body == body)
        }
    }

    @Test func `a change replaces the notification that is there`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        #expect(daemon.replaced == 0)
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 1)
        #expect(daemon.shown == [1: daemon.content])
    }

    @Test func `after it was closed the next one is new`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        daemon.close(.expired)
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 0)
    }

    @Test func `what expired is not shown again before something changes`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        daemon.close(.expired)
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 1)
    }

    @Test func `after a dismissal it is silent until the next speaker`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        daemon.close(.dismissed)
        daemon.pass(2)
        var view = ChannelView.speaking("Anna")
        view.isMicrophoneOpen = true
        daemon.show(view)
        daemon.show(.radio)
        #expect(daemon.calls == 1)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 2)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `after a dismissal it is silent until the next channel`() {
        var daemon = Daemon()
        daemon.show(.radio)
        daemon.close(.dismissed)
        daemon.pass(2)
        var view = ChannelView.radio
        view.name = "Renamed"
        daemon.show(view)
        #expect(daemon.calls == 1)
        view.channelID = ChannelID(randomBytes: (2, 2))
        daemon.show(view)
        #expect(daemon.calls == 2)
    }

    @Test func `a button that closes the notification is no dismissal`() {
        var daemon = Daemon(actions: true)
        daemon.show(.radio)
        daemon.invoke()
        daemon.close(.dismissed)
        daemon.pass(2)
        #expect(daemon.calls == 2)
        #expect(daemon.content?.body == "Nobody speaks")
    }

    @Test func `signals about the notifications of others change nothing`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        #expect(!daemon.notice.isOurs(7) && !daemon.notice.isOurs(0))
        daemon.handle(.closed(id: 7, .dismissed))
        daemon.handle(.closed(id: 0, .dismissed))
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        #expect(daemon.replaced == 1)
    }

    @Test func `there is one change in a second and it is the last one`() {
        var daemon = Daemon()
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
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        var view = ChannelView.speaking("Anna")
        view.speaker?.imageID = "a"
        daemon.show(view)
        #expect(daemon.content?.imageID == "a")
        view.speaker = .init(name: "Bert", imageID: "b")
        daemon.show(view)
        #expect(daemon.content?.imageID == "a")
        daemon.pass(1)
        #expect(daemon.content?.imageID == "b")
    }

    @Test func `no timer runs when the change was taken back`() {
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        daemon.show(.speaking("Bert"))
        daemon.show(.speaking("Anna"))
        #expect(daemon.timer == nil)
    }

    @Test func `a daemon that never answers is called once`() {
        var daemon = Daemon(answers: false)
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

    @Test func `what the daemon refused is not repeated`() {
        var daemon = Daemon(identifier: nil)
        daemon.show(.speaking("Anna"))
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        #expect(daemon.calls == 1)
        daemon.show(.speaking("Bert"))
        #expect(daemon.calls == 2)
    }

    @Test func `another daemon is asked what it can and shows the notification again`() {
        var daemon = Daemon(actions: true)
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
        var daemon = Daemon()
        daemon.show(.speaking("Anna"))
        daemon.handle(.serviceChanged(isThere: false))
        daemon.pass(2)
        #expect(daemon.questions == 1)
        daemon.show(.speaking("Bert"))
        #expect(daemon.questions == 2)
    }

    @Test func `a bus that comes back has no notification of ours and is asked anew`() {
        var daemon = Daemon(answers: false)
        daemon.show(.radio)
        daemon.handle(.busLost)
        daemon.answers = true
        daemon.show(.speaking("Anna"))
        #expect(daemon.questions == 1)
        daemon.handle(.busConnected)
        #expect(daemon.replaced == 0)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `a locked screen shows no name and no picture, at once`() {
        var daemon = Daemon(actions: true)
        var view = ChannelView.speaking("Anna")
        view.speaker?.imageID = "a"
        daemon.show(view)
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content?.body == "Somebody speaks")
        #expect(daemon.content?.imageID == nil)
        #expect(daemon.content?.actions == [])
        #expect(daemon.content?.isOnLockScreen == true)
        #expect(daemon.replaced == 1)
    }

    @Test func `names are on a locked screen if the person asked for them`() {
        var daemon = Daemon(settings: IndicatorSettings(namesOnLockScreen: true))
        var view = ChannelView.speaking("Anna")
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content?.body == "Anna speaks")
    }

    @Test func `a locked screen shows nothing if the person wants it so`() {
        var daemon = Daemon(settings: IndicatorSettings(lockScreen: .off))
        daemon.show(.speaking("Anna"))
        var view = ChannelView.speaking("Anna")
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content == nil)
    }

    @Test func `without notifications the daemon is not even asked`() {
        var daemon = Daemon(settings: IndicatorSettings(notifications: false))
        daemon.show(.speaking("Anna"))
        #expect(daemon.questions == 0 && daemon.calls == 0)
    }
}

extension ChannelView {
    fileprivate static let radio = ChannelView(
        channelID: ChannelID(randomBytes: (1, 1)),
        name: "Radio"
    )

    fileprivate static func speaking(_ name: String) -> ChannelView {
        var view = radio
        view.speaker = .init(name: name)
        return view
    }
}

/// A notification daemon, and the value that calls it.
private struct Daemon {
    var notice: Notice
    var capabilities: Set<String>
    var answers: Bool
    let identifier: UInt32?
    let start = MonotonicTime(nanoseconds: 0)
    var now = MonotonicTime(nanoseconds: 0)
    var timer: MonotonicTime? { notice.deadline }
    /// What the person sees.
    var shown: [UInt32: Notice.Content] = [:]
    var replaced: UInt32?
    var (calls, questions) = (0, 0)

    init(
        settings: IndicatorSettings = IndicatorSettings(),
        actions: Bool = false,
        markup: Bool = false,
        answers: Bool = true,
        identifier: UInt32? = 1
    ) {
        notice = Notice(settings)
        capabilities = ["body"]
        if actions { capabilities.insert("actions") }
        if markup { capabilities.insert("body-markup") }
        (self.answers, self.identifier) = (answers, identifier)
        handle(.busConnected)
    }

    var content: Notice.Content? { shown.values.first }

    mutating func show(_ view: ChannelView?) { carryOut(notice.update(view, at: now)) }

    mutating func handle(_ event: Notice.Event) { carryOut(notice.handle(event, at: now)) }

    mutating func close(_ reason: Notice.ClosingReason) {
        let closed = shown.keys.first ?? 0
        shown = [:]
        handle(.closed(id: closed, reason))
    }

    mutating func invoke() { handle(.actionInvoked(id: shown.keys.first ?? 0)) }

    mutating func pass(_ seconds: Int) {
        now = now + .seconds(seconds)
        guard let timer, timer <= now else { return }
        handle(.timerFired)
    }

    private mutating func carryOut(_ effects: [Notice.Effect]) {
        for effect in effects {
            switch effect {
            case .askCapabilities:
                questions += 1
                if answers { handle(.capabilities(capabilities)) }
            case .show(let content, let replaced):
                calls += 1
                self.replaced = replaced
                if let identifier { shown[identifier] = content }
                if answers { handle(.shown(identifier)) }
            case .close(let identifier): shown[identifier] = nil
            }
        }
    }
}

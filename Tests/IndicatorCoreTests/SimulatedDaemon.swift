import PTTMessages

@testable import IndicatorCore

extension MonotonicTime {
    static let start = MonotonicTime(nanoseconds: 0)
}

extension Destination {
    static let radio = Destination(receiver: .channel(ChannelID(randomBytes: (1, 1))), name: Text("Radio"))
    static let call = Destination(receiver: .calls([Text("Mumble")]), name: unnamed)

    static func speaking(_ name: String) -> Destination {
        var view = radio
        view.speaker = .init(name: Text(verbatim: name))
        return view
    }
}

/// A notification daemon, and the value that calls it.
struct SimulatedDaemon {
    var notice: Notice
    var capabilities: Set<String>
    var answers: Bool
    let identifier: UInt32?
    let start = MonotonicTime(nanoseconds: 0)
    var now = MonotonicTime(nanoseconds: 0)
    var timer: MonotonicTime? { notice.deadline }
    /// The visible notices.
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

    mutating func show(_ view: Destination?) { carryOut(notice.update(view, at: now)) }

    mutating func handle(_ event: Notice.Event) { carryOut(notice.handle(event, at: now)) }

    mutating func close(isDismissed: Bool) {
        let closed = shown.keys.first ?? 0
        shown = [:]
        handle(.closed(id: closed, isDismissed: isDismissed))
    }

    mutating func invoke() { handle(.actionInvoked(id: shown.keys.first ?? 0, .talk)) }

    mutating func pass(_ seconds: Int) {
        now = now + .seconds(seconds)
        guard let timer, timer <= now else { return }
        handle(.timerFired)
    }

    private mutating func carryOut(_ effects: [Indicator.Effect]) {
        for effect in effects {
            switch effect {
            case .askNoticeCapabilities:
                questions += 1
                if answers { handle(.capabilities(capabilities)) }
            case .notify(let content, let replaced):
                calls += 1
                self.replaced = replaced
                if let identifier { shown[identifier] = content }
                if answers { handle(.shown(identifier)) }
            case .closeNotice(let identifier): shown[identifier] = nil
            default: break
            }
        }
    }
}

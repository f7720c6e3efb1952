import PTTMessages

/// What one event leads to, kept by kind so that the order of ``TalkSession/Effect`` holds whatever the cause.
struct Turn {
    let now: MonotonicTime
    /// What ends a capture or a playback.
    var closing: [TalkSession.Effect] = []
    var opening: [TalkSession.Effect] = []
    var timer: TalkSession.Effect?
    var saves: [TalkSession.Effect] = []
    var reply: TalkSession.Effect?
    var start: TalkSession.Effect?
    var frames: TalkSession.Effect?
    private var told: [TalkSession.Effect] = []

    init(at now: MonotonicTime) {
        self.now = now
    }

    mutating func publish(_ event: CoreEvent) {
        told.append(.publish(event))
    }

    mutating func tell(_ client: ClientID, _ event: CoreEvent) {
        told.append(.tell(client, event))
    }

    mutating func remark(_ text: String) {
        told.append(.remark(text))
    }

    var effects: [TalkSession.Effect] {
        var effects = closing
        if let timer { effects.append(timer) }
        effects += saves
        if let reply { effects.append(reply) }
        effects += told
        if let start { effects.append(start) }
        effects += opening
        if let frames { effects.append(frames) }
        return effects
    }
}

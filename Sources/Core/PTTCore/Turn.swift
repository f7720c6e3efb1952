import PTTMessages

/// What one event leads to, kept by kind so that the order of ``TalkSession/Effect`` holds whatever the cause.
struct Turn {
    /// What ends a capture.
    var closing: [TalkSession.Effect] = []
    var opening: TalkSession.Effect?
    var timer: TalkSession.Effect?
    var reply: TalkSession.Effect?
    var frames: TalkSession.Effect?
    private var published: [TalkSession.Effect] = []

    mutating func publish(_ event: CoreEvent) {
        published.append(.publish(event))
    }

    var effects: [TalkSession.Effect] {
        closing + [timer, reply].compactMap(\.self) + published + [opening, frames].compactMap(\.self)
    }
}

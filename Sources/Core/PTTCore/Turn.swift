import PTTMessages

/// What one event leads to, kept by kind so that the order of ``TalkSession/Effect`` holds whatever the cause.
struct Turn {
    let now: MonotonicTime
    /// What ends a capture or a playback.
    private var closing: [TalkSession.Effect] = []
    private var opening: [TalkSession.Effect] = []
    private var frames: TalkSession.Effect?
    var timer: TalkSession.Effect?
    var saves: [TalkSession.Effect] = []
    private var replies: [TalkSession.Effect] = []
    var start: TalkSession.Effect?
    private var told: [TalkSession.Effect] = []

    init(at now: MonotonicTime) {
        self.now = now
    }

    mutating func answer(_ request: RequestID, _ answer: TalkSession.Answer) {
        replies.append(.reply(request, answer))
    }

    mutating func publish(_ event: CoreEvent) {
        told.append(.publish(event))
    }

    mutating func notify(_ client: ClientID, _ event: CoreEvent) {
        told.append(.notify(client, event))
    }

    mutating func log(_ text: String) {
        told.append(.log(text))
    }

    // MARK: Streams
    //
    // All closings are carried out before any opening, so that a stream that was opened and closed in one turn would
    // be opened for good.

    mutating func open(_ capture: Capture) {
        opening.append(.openCapture(capture.captureID, capture.format))
    }

    mutating func open(_ playback: Playback) {
        opening.append(.openPlayback(playback.playbackID, playback.format, from: playback.writer))
    }

    mutating func close(_ microphone: AudioSession.Microphone) {
        let capture = microphone.capture
        assert(
            !opening.contains(.openCapture(capture.captureID, capture.format)),
            "\(capture) would stay open"
        )
        if microphone.isDelivered { closing.append(.stopFrames(capture.captureID)) }
        closing.append(.closeCapture(capture.captureID))
    }

    mutating func close(_ playback: Playback) {
        let order = TalkSession.Effect.openPlayback(
            playback.playbackID,
            playback.format,
            from: playback.writer
        )
        assert(!opening.contains(order), "\(playback) would stay open")
        closing.append(.closePlayback(playback.playbackID))
    }

    mutating func deliver(_ capture: CaptureID, to sink: FrameSink) {
        assert(frames == nil, "frames go to two places")
        frames = .deliverFrames(capture, to: sink)
    }

    var effects: [TalkSession.Effect] {
        var effects = closing
        if let timer { effects.append(timer) }
        effects += saves
        effects += replies
        effects += told
        if let start { effects.append(start) }
        effects += opening
        if let frames { effects.append(frames) }
        return effects
    }
}

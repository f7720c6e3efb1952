import PTTMessages

/// Collects the effects of one event by kind, so that the order of ``TalkSession/Effect`` holds whatever
/// caused them.
struct EffectCollector: Sendable {
    /// The time of the event.
    let now: MonotonicTime
    /// The orders that hold before the event, corrected by what the event reports of timer and disk.
    var standing: StandingOrders
    /// The ends of captures and playbacks.
    private var closings: [TalkSession.Effect] = []
    private var openings: [TalkSession.Effect] = []
    private var delivery: TalkSession.Effect?
    private var timer: TalkSession.Effect?
    private var saves: [TalkSession.Effect] = []
    private var replies: [TalkSession.Effect] = []
    var applicationStart: TalkSession.Effect?
    private var notifications: [TalkSession.Effect] = []
    var sounds: [TalkSession.Effect] = []

    init(at now: MonotonicTime, standing: StandingOrders = StandingOrders()) {
        self.now = now
        self.standing = standing
    }

    /// Gives the orders that have changed.
    mutating func change(to orders: StandingOrders) {
        if orders.timer != standing.timer { timer = orders.timer.map { .setTimer($0) } ?? .cancelTimer }
        if orders.volume != standing.volume { saves.append(.saveVolume(orders.volume)) }
        if orders.descriptor != standing.descriptor { saves.append(.saveDescriptor(orders.descriptor)) }
        if orders.channel != standing.channel { saves.append(.saveChannel(orders.channel)) }
        if let latched = orders.latched, latched != standing.latched { play(.latched) }
    }

    mutating func reply(to request: RequestID, _ answer: TalkSession.Answer) {
        replies.append(.reply(request, answer))
    }

    mutating func publish(_ event: CoreEvent) { notifications.append(.publish(event)) }

    mutating func notify(_ client: ClientID, _ event: CoreEvent) {
        notifications.append(.notify(client, event))
    }

    mutating func log(_ text: String) { notifications.append(.log(text)) }

    mutating func play(_ tone: Tone) { sounds.append(.playTone(tone)) }

    // MARK: Streams
    //
    // All closings are carried out before any opening, so a stream that one event opened and closed would
    // stay open.

    mutating func open(_ capture: Capture) { openings.append(capture.opening) }

    mutating func open(_ playback: Playback) { openings.append(playback.opening) }

    mutating func close(_ capture: Capture) {
        assert(!openings.contains(capture.opening), "\(capture) would stay open")
        if capture.gate == .delivering { closings.append(.stopFrames(capture.captureID)) }
        closings.append(.closeCapture(capture.captureID))
    }

    mutating func close(_ playback: Playback) {
        assert(!openings.contains(playback.opening), "\(playback) would stay open")
        closings.append(.closePlayback(playback.playbackID))
    }

    mutating func deliver(_ capture: CaptureID, to sink: FrameSink) {
        assert(delivery == nil, "frames go to two sinks")
        delivery = .deliverFrames(capture, to: sink)
    }

    /// All effects, in the order in which they are to be carried out.
    var inOrder: [TalkSession.Effect] {
        var effects = closings
        effects.reserveCapacity(
            closings.count + saves.count + replies.count + notifications.count + openings.count
                + sounds.count + 3
        )
        if let timer { effects.append(timer) }
        effects += saves
        effects += replies
        effects += notifications
        if let applicationStart { effects.append(applicationStart) }
        effects += openings
        if let delivery { effects.append(delivery) }
        effects += sounds
        return effects
    }
}

extension Capture {
    fileprivate var opening: TalkSession.Effect { .openCapture(captureID, format) }
}

extension Playback {
    fileprivate var opening: TalkSession.Effect { .openPlayback(playbackID, format, from: writer) }
}

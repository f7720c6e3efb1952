import EventLoop
import Journal
import Logging
import PTTCore
import PTTMessages
import ServiceClient

/// Hosts the machine that decides: feeds it what happened, one event at a time, and carries out what it orders.
///
/// Everything that can happen comes in through ``post(_:)``; whatever an effect brings about later comes in there too.
/// So the order of things is decided in one place, and ``TalkSession`` is never entered twice.
@EventLoop
final class TalkSessionHost {
    private let log: Logger
    private let peers: RateLimitedLog
    /// The process whose call is being taken; 0 for what happens by itself.
    var caller: RateLimitedLog.Peer = 0
    private let audio: AudioSocket
    private let microphone: Microphone
    private let speaker: Speaker
    private let store: StateStore
    private let starter: ApplicationStarter
    private var session: TalkSession
    private var saves = SaveOrder()
    private var inbox: [Input] = []
    private var isTurning = false
    private var waiting: [RequestID: @EventLoop (TalkSession.Answer) -> Void] = [:]
    private var lastRequest = 0
    private var capture = StreamSlot<CaptureID, FrameSink>()
    private var playback = StreamSlot<PlaybackID, (client: ClientID, format: AudioFormat)>()
    private var timer: TimerSource?
    /// What was told of the devices in use.
    private var route: (input: String?, output: String?) = (nil, nil)
    /// While somebody is yet to be told of a change: what everybody knows so far.
    private var toldStatus: Status?
    private var settled: (@EventLoop () -> Void)?

    private enum Input {
        case event(TalkSession.Event)
        case report(StateStore.Report)
    }

    /// Called for each event with its place in the sequence, while ``status`` is already what follows from it.
    var publish: @EventLoop (CoreEvent, Int, MonotonicTime) -> Void = { _, _, _ in }
    /// Called for each event that one application is told; it has the place of the event before it.
    var notify: @EventLoop (ClientID, CoreEvent, Int, MonotonicTime) -> Void = { _, _, _, _ in }
    /// Called when a transmission is held by others than before; first the holder, then the application.
    var holdersChanged: @EventLoop ([ClientID]) -> Void = { _ in }
    private var holders: [ClientID] = []
    private(set) var sequence = 0

    /// The hands that carry out what the machine orders.
    struct Hands {
        let audio: AudioSocket
        let microphone: Microphone
        let speaker: Speaker
        let store: StateStore
        let starter: ApplicationStarter
    }

    init(
        timeLimit: Duration,
        whileLocked: TalkSession.WhileLocked,
        _ hands: Hands,
        log: Logger,
        peers: RateLimitedLog
    ) {
        audio = hands.audio
        microphone = hands.microphone
        speaker = hands.speaker
        store = hands.store
        starter = hands.starter
        self.log = log
        self.peers = peers
        session = TalkSession(timeLimit: timeLimit, whileLocked: whileLocked)
        timer = TimerSource { [weak self] in self?.post(.timerFired) }
        store.report = { [weak self] in self?.take(.report($0)) }
        audio.receive = { [weak self] in self?.play($1, from: $0) ?? .wantsMore }
        audio.connected = { [weak self] in self?.post(.audioConnectionReady($0)) }
        audio.lost = { [weak self] in self?.post(.audioConnectionLost($0)) }
        speaker.hasRoomAgain = { [audio] in audio.resume() }
        speaker.opened = { [weak self] in self?.follow(output: $0) }
        microphone.opened = { [weak self] in self?.follow(input: $0) }
    }

    /// What follows from what has been published.
    var status: Status { toldStatus ?? session.status }

    /// Counts what has happened: ``status`` stays the same until the next.
    private(set) var changes = 0

    /// The picture of the channel or its participant.
    func image(_ imageID: String) -> Image? { session.image(imageID) }

    /// Brings back the channel of an earlier run. Comes before anything else.
    func restore() {
        guard let found = store.load() else { return }
        if found.isAside { carryOut(saves.foundAside()) }
        guard let channel = found.channel else { return }
        post(.restored(channel, descriptor: found.descriptor))
    }

    /// Calls `then` once, when all that was ordered so far is saved, or kept where a restart finds it.
    func whenSettled(_ then: @escaping @EventLoop () -> Void) {
        settled = then
        followSettling()
    }

    /// Tells the machine what happened, now or, from within an effect, right after the current event.
    func post(_ event: TalkSession.Event) {
        take(.event(event))
    }

    private func take(_ input: Input) {
        inbox.append(input)
        guard !isTurning else { return }
        isTurning = true
        while !inbox.isEmpty {
            changes += 1
            switch inbox.removeFirst() {
            case .event(let event): turn(event)
            case .report(let report): follow(report)
            }
        }
        isTurning = false
        followSettling()
    }

    typealias Reply = @EventLoop (TalkSession.Answer) -> Void

    /// Calls `reply` once, in this call or later.
    func request(_ request: TalkSession.Request, from client: ClientID, reply: @escaping Reply) {
        post(.request(expect(reply), from: client, request))
    }

    func push(_ envelope: PushEnvelope, reply: @escaping Reply) {
        post(.pushSent(expect(reply), envelope))
    }

    private func expect(_ reply: @escaping Reply) -> RequestID {
        lastRequest += 1
        let requestID = RequestID(rawValue: lastRequest)
        waiting[requestID] = reply
        return requestID
    }

    private func turn(_ event: TalkSession.Event) {
        let now = MonotonicTime.now
        let before = status
        let effects = session.handle(event, at: now)
        // In the words of the scenario files of the tests, so that a trace from the field becomes one.
        if log.logLevel <= .debug {
            log.debug("\(now) \(event)")
            for effect in effects { log.debug("\(now)   \(effect)") }
        }
        let steps = saves.order(effects, at: now, for: caller)
        toldStatus = saves.isHolding ? before : nil
        carryOut(steps)
    }

    private func follow(_ report: StateStore.Report) {
        let steps =
            switch report {
            case .written: saves.written()
            case .notWritten(let reason): saves.notWritten(reason)
            case .overdue(let reason): saves.overdue(reason)
            case .retryTimeCame: saves.retry()
            }
        if !saves.isHolding { toldStatus = nil }
        carryOut(steps)
    }

    private func carryOut(_ steps: [SaveOrder.Step]) {
        for step in steps {
            switch step {
            case .perform(let effect, let time, let processID): perform(effect, at: time, for: processID)
            case .write: store.write()
            case .keepAside: store.keepAside()
            case .recovered:
                store.forgetAside()
                post(.stateSaved)
            case .failed(let reason): post(.stateNotSaved(reason: reason))
            case .retryLater: store.retryLater()
            }
        }
        followHolders()
    }

    private func followHolders() {
        let holders = session.transmissionClients
        guard holders != self.holders else { return }
        self.holders = holders
        holdersChanged(holders)
    }

    private func followSettling() {
        guard saves.isSettled, let settled else { return }
        self.settled = nil
        settled()
    }

    private func perform(_ effect: TalkSession.Effect, at now: MonotonicTime, for processID: Int32) {
        switch effect {
        case .reply(let request, let answer):
            waiting.removeValue(forKey: request)?(answer)
        case .publish(let event):
            sequence += 1
            toldStatus?.apply(event)
            publish(event, sequence, now)
            peers.record(event, about: processID)
        case .notify(let client, let event):
            notify(client, event, sequence, now)
        case .openCapture(let capture, let format):
            openMicrophone(capture, format)
        case .closeCapture(let capture):
            if self.capture.close(capture) { microphone.close() }
        case .openPlayback(let playback, let format, let client):
            openSpeaker(playback, format, client)
        case .closePlayback(let playback):
            if self.playback.close(playback) { speaker.close() }
        case .saveChannel(let channel):
            store.save(channel)
        case .saveDescriptor(let descriptor):
            store.save(descriptor)
        case .startApplication(let startID, _, let activation):
            start(startID, activation)
        case .log(let text):
            peers.log(level: .notice, "\(text)", about: processID)
        case .setTimer(let time):
            timer?.arm(at: MonotonicInstant(time))
        case .cancelTimer:
            timer?.disarm()
        case .deliverFrames(let capture, let sink):
            self.capture.connect(capture, to: sink)
        case .stopFrames(let capture):
            self.capture.disconnect(capture)
        }
    }

    /// An application that has come just now knows of no device yet.
    func forgetRoute() {
        route = (nil, nil)
    }

    private func follow(input: String) {
        guard input != route.input else { return }
        route.input = input
        post(.routeChanged(input: input, output: nil))
    }

    private func follow(output: String) {
        guard output != route.output else { return }
        route.output = output
        post(.routeChanged(input: nil, output: output))
    }

    private func openMicrophone(_ capture: CaptureID, _ format: AudioFormat) {
        self.capture.open(capture)
        microphone.open(
            format,
            started: { [weak self] in self?.post(.captureStarted(capture)) },
            frame: { [weak self] header, samples in
                guard let self, let sink = self.capture.peer else { return }
                switch sink {
                case .application(let client): audio.send(header, samples, to: client)
                }
            },
            failed: { [weak self] cause in self?.post(.captureFailed(capture, cause)) }
        )
    }

    private func openSpeaker(_ playback: PlaybackID, _ format: AudioFormat, _ client: ClientID) {
        self.playback.open(playback, peer: (client, format))
        audio.discard(from: client)
        speaker.open(
            format,
            started: { [weak self] in self?.post(.playbackStarted(playback)) },
            failed: { [weak self] in self?.post(.playbackFailed(playback, $0, reason: $1)) }
        )
    }

    private func start(_ startID: StartID, _ activation: Activation) {
        starter.start(activation) { [weak self] reason in
            self?.post(.applicationStartFailed(startID, reason: reason))
        }
    }

    private func play(_ packet: UnsafeRawBufferPointer, from client: ClientID) -> AudioConnection.Reception {
        guard packet.count > AudioPacketHeader.size else {
            return .isMalformed(
                "the application sent a packet of \(packet.count) bytes, a header and no samples at most"
            )
        }
        let samples = UnsafeRawBufferPointer(rebasing: packet[AudioPacketHeader.size...])
        guard let player = playback.peer, player.client == client else { return .wantsMore }
        guard samples.count == player.format.bytesPerPacket else {
            return .isMalformed(
                "the application sent \(samples.count) bytes of samples, "
                    + "20 ms of its format are \(player.format.bytesPerPacket)"
            )
        }
        return speaker.play(samples) ? .wantsMore : .hasEnough
    }
}

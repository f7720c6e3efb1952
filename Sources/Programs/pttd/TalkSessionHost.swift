import EventLoop
import Journal
import Logging
import PTTCore
import PTTMessages
import ServiceClient

/// Hosts the state machine: hands it one event at a time, and carries out its effects.
///
/// All events arrive through ``post(_:)``, also those that an effect causes later. So their order is decided
/// in one place, and ``TalkSession`` is never reentered.
@EventLoop
final class TalkSessionHost {
    private let log: Logger
    private let peers: RateLimitedLog
    /// The process whose call is being handled; 0 for events that no call has caused.
    var caller: RateLimitedLog.Peer = 0
    let backends: Backends
    private var session: TalkSession
    private var inbox: [TalkSession.Event] = []
    private var isHandling = false
    private var waiting: [RequestID: @EventLoop (TalkSession.Answer) -> Void] = [:]
    private var lastRequest = 0
    var capture = StreamSlot<CaptureID, FrameSink>()
    private var playback = StreamSlot<PlaybackID, (client: ClientID, format: AudioFormat)>()
    let levels = LevelReports()
    private var timer: TimerSource?
    /// The devices in use, as published.
    private var route: (input: String?, output: String?) = (nil, nil)

    /// Called for each event, while ``status`` and ``sequence`` already include it.
    var publish: @EventLoop (CoreEvent, MonotonicTime) -> Void = { _, _ in }
    /// Called for each published event, after ``publish``. To be set before ``restore()``.
    var observers: [@EventLoop (CoreEvent) -> Void] = []
    /// Called for each event that goes to one application only; its number is that of the published event
    /// before it.
    var notify: @EventLoop (ClientID, CoreEvent, MonotonicTime) -> Void = { _, _, _ in }
    /// Called when ``TalkSession/transmissionClients`` changes; first the holder, then the application.
    var holdersChanged: @EventLoop ([ClientID]) -> Void = { _ in }
    private var holders: [ClientID] = []
    /// The number of the last published event.
    private(set) var sequence = 0

    /// The parts that carry out the effects.
    struct Backends {
        let audio: AudioSocket
        let microphone: Microphone
        let speaker: Speaker
        let tones: TonePlayer
        let virtualMicrophone: VirtualMicrophoneDevice
        let store: StateStore
        let starter: ApplicationStarter
    }

    init(_ session: TalkSession, _ backends: Backends, log: Logger, peers: RateLimitedLog) {
        self.session = session
        self.backends = backends
        self.log = log
        self.peers = peers
        timer = TimerSource { [weak self] in self?.post(.timerFired) }
        backends.store.report = { [weak self] in self?.post($0) }
        backends.audio.receive = { [weak self] in self?.play($1, from: $0) ?? .wantsMore }
        backends.audio.connected = { [weak self] in self?.post(.audioConnectionReady($0)) }
        backends.audio.lost = { [weak self] in self?.post(.audioConnectionLost($0)) }
        backends.speaker.roomAvailable = { [audio = backends.audio] in audio.resume() }
        backends.virtualMicrophone.changed = { [weak self] in self?.post(.virtualMicrophoneChanged($0)) }
        backends.speaker.returned = { [weak self] in self?.post(.speakerReturned) }
        backends.speaker.opened = { [weak self] in self?.updateRoute(output: $0) }
        backends.microphone.changed = { [weak self] in self?.microphoneChanged($0) }
        backends.microphone.changedWhileClosed = { [weak self] in self?.post(.microphoneChanged($0)) }
    }

    /// Restores the channel of an earlier run. Call it before anything else.
    func restore() {
        let store = backends.store
        store.load()
        let (channel, descriptor) = (store.channel, store.descriptor)
        if let volume = store.volume { post(.volumeRestored(volume)) }
        if let channel { post(.restored(channel, descriptor: descriptor)) }
    }

    /// The status that results from all published events.
    var status: Status { session.status }

    /// The number of events so far: ``status`` stays the same until the next.
    private(set) var changes = 0

    /// Not in ``status``: no rule depends on them.
    var unheardDevices: [UnheardDevice] {
        status.virtualMicrophone.isPresent ? backends.virtualMicrophone.unheardDevices : []
    }

    /// The image of the channel or its participant.
    func image(_ imageID: String) -> Image? { session.image(imageID) }

    /// Puts an event into the inbox. It is handled now or, from within an effect, right after the current
    /// event.
    func post(_ event: TalkSession.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            changes += 1
            handle(inbox.removeFirst())
        }
        isHandling = false
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

    private func handle(_ event: TalkSession.Event) {
        let now = MonotonicTime.now
        let effects = session.handle(event, at: now)
        // In the format of the tests' scenario files, so that a trace from the field becomes a scenario.
        if log.logLevel <= .debug {
            log.debug("\(now) \(event)")
            for effect in effects { log.debug("\(now)   \(effect)") }
        }
        // Set as it is shown it changes nothing here, but another one may be saved that could not be read.
        if case .request(_, from: _, .setVolume(let request)) = event, request.volume == session.volume {
            backends.store.save(volume: request.volume)
        }
        for effect in effects { perform(effect, at: now) }
        backends.store.write()
        updateHolders()
    }

    private func updateHolders() {
        let holders = session.transmissionClients
        guard holders != self.holders else { return }
        self.holders = holders
        holdersChanged(holders)
    }

    private func perform(_ effect: TalkSession.Effect, at now: MonotonicTime) {
        switch effect {
        case .reply(let request, let answer):
            waiting.removeValue(forKey: request)?(answer)
        case .publish(let event):
            sequence += 1
            publish(event, now)
            for observer in observers { observer(event) }
            peers.record(event, about: caller)
        case .notify(let client, let event):
            notify(client, event, now)
        case .openCapture(let capture, let format):
            openMicrophone(capture, format)
        case .closeCapture(let capture):
            if self.capture.close(capture) {
                backends.microphone.close()
                backends.audio.discardUnsent()
                backends.virtualMicrophone.end()
                backends.tones.microphoneClosed()
            }
        case .openPlayback(let playback, let format, let client):
            openSpeaker(playback, format, for: client)
        case .closePlayback(let playback):
            if self.playback.close(playback) { backends.speaker.close() }
        case .saveChannel(let channel):
            backends.store.save(channel)
        case .saveDescriptor(let descriptor):
            backends.store.save(descriptor)
        case .saveVolume(let volume):
            backends.store.save(volume: volume)
        case .startApplication(let startID, _, let activation):
            start(startID, activation)
        case .log(let text):
            peers.log(level: .notice, "\(text)", about: caller)
        case .setTimer(let time):
            timer?.arm(at: MonotonicInstant(time))
        case .cancelTimer:
            timer?.disarm()
        case .deliverFrames(let capture, let sink):
            self.capture.connect(capture, to: sink)
            if self.capture.peer == .virtualMicrophone { backends.virtualMicrophone.begin() }
        case .stopFrames(let capture):
            if self.capture.isOpen(capture) { backends.microphone.finish() }
            self.capture.disconnect(capture)
            if self.capture.peer == nil { backends.virtualMicrophone.end() }
        case .playTalkPermit(let capture):
            playTalkPermit(capture)
        case .playTone(let tone):
            play(tone)
        case .setVolume(let percent):
            backends.speaker.volume = percent
        }
    }

    /// An application that has just attached knows no device yet: the next ones are published even if they
    /// are the same.
    func resetRoute() {
        route = (nil, nil)
    }

    /// Nil for the device that has not changed.
    private func updateRoute(input: String? = nil, output: String? = nil) {
        let new = (input: input ?? route.input, output: output ?? route.output)
        guard new != route else { return }
        route = new
        post(.routeChanged(input: input, output: output))
    }

    private func openMicrophone(_ capture: CaptureID, _ format: AudioFormat) {
        self.capture.open(capture)
        backends.microphone.open(
            format,
            feedsVirtualMicrophone: session.feedsVirtualMicrophone,
            started: { [weak self] in self?.post(.captureStarted(capture)) },
            frame: { [weak self] header, samples in
                guard let self else { return }
                levels.captured(samples)
                guard let sink = self.capture.peer else { return }
                switch sink {
                case .client(let client): backends.audio.send(header, samples, to: client)
                case .virtualMicrophone: backends.virtualMicrophone.write(samples)
                }
            },
            failed: { [weak self] cause in self?.post(.captureFailed(capture, cause)) }
        )
    }

    private func microphoneChanged(_ state: MicrophoneState) {
        updateRoute(input: state.name)
        post(.microphoneChanged(state))
    }

    private func openSpeaker(_ playback: PlaybackID, _ format: AudioFormat, for client: ClientID) {
        self.playback.open(playback, peer: (client, format))
        backends.audio.discard(from: client)
        backends.speaker.open(
            format,
            started: { [weak self] in self?.post(.playbackStarted(playback)) },
            failed: { [weak self] in self?.post(.playbackFailed(playback, $0, reason: $1)) }
        )
    }

    private func start(_ startID: StartID, _ activation: Activation) {
        backends.starter.start(activation) { [weak self] reason in
            self?.post(.applicationStartFailed(startID, reason: reason))
        }
    }

    private func play(_ packet: UnsafeRawBufferPointer, from client: ClientID) -> AudioConnection.Reception {
        guard packet.count > AudioPacketHeader.size else {
            return .isMalformed(
                "the application sent a packet of \(packet.count) bytes, which has no samples"
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
        levels.played(samples)
        return backends.speaker.play(samples) ? .wantsMore : .hasEnough
    }
}

import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTCore
import PulseAudio

/// Plays the tones on a stream that is opened before they are needed, and waits corked: a press opens
/// nothing, and nothing is done between tones: no wake-ups of ours, and none more of the server. The stream
/// has no role: servers give a role one mute state, and the user has muted it with "System sounds" perhaps.
@EventLoop
final class TonePlayer {
    /// The server's buffer during a tone: little, so that a server that mixes ahead begins soon.
    static let latency = Duration.milliseconds(20)
    /// The server's buffer between tones: PulseAudio allots half of it to the speaker, whose own is two
    /// seconds at most.
    private static let longLatency = Duration.seconds(6)
    /// Until the stream is opened again after it failed.
    private static let retryDelay = Duration.milliseconds(200)
    /// The time for which no tone is tried after the stream has failed again: presses need not wait for a
    /// speaker that is not there.
    private static let pause = Duration.seconds(5)

    /// Between the beginnings of two tones: presses in a loop must not fill the connection to the server.
    private static let spacing = Duration.milliseconds(50)

    private let server: AudioServer
    private let sounds: ToneSounds
    private let log: RateLimitedLog
    private var stream: PlaybackStream?
    private var isOpen = false
    /// To be played when the stream has opened, or at the end of ``spacing``.
    private(set) var next: Tone?
    /// The tone that began last, until it has ended.
    private(set) var playing: Tone?
    /// Counts what was played.
    private(set) var number = 0
    private(set) var wait: Wait?
    private lazy var limit = TimerSource { [weak self] in self?.timeCame() }
    private lazy var retry = TimerSource { [weak self] in self?.update() }
    private lazy var turn = TimerSource { [weak self] in self?.startNext() }
    private var earliest = MonotonicInstant(nanoseconds: .min)
    private var hasFailed = false
    /// The server's buffer between tones. Short for a speaker that has begun too late: PulseAudio's null sink
    /// mixes two seconds ahead, and does not take back what it has mixed when a stream asks for less.
    private var restingLatency = longLatency
    private var pauseEnd: MonotonicInstant?

    /// While one of them is true, a press may need a tone soon, and the stream is kept open.
    var isChannelJoined = false {
        didSet { if isChannelJoined != oldValue { update() } }
    }
    var hasVirtualMicrophone = false {
        didSet { if hasVirtualMicrophone != oldValue { update() } }
    }
    private var isNeeded: Bool { isChannelJoined || hasVirtualMicrophone }

    /// - Parameters:
    ///   - server: Connected by the caller.
    ///   - sounds: The samples of each tone, and the gate.
    ///   - log: For messages about the speaker.
    init(server: AudioServer, sounds: ToneSounds, log: RateLimitedLog) {
        self.server = server
        self.sounds = sounds
        self.log = log
    }

    /// Returns true if the tone is captured by a microphone, unless the speaker is a headset.
    func isCaptured(_ tone: Tone) -> Bool { sounds.gate != .off && !sounds[tone].isEmpty && !isPaused }

    private var isPaused: Bool { pauseEnd.map { MonotonicInstant.now < $0 } ?? false }

    /// The server is ready, or was lost: its streams have failed before.
    func serverChanged() {
        hasFailed = false
        pauseEnd = nil
        restingLatency = Self.longLatency
        update()
    }

    /// Plays a tone now, in place of one that is still playing.
    func play(_ tone: Tone) {
        finishWaiting(at: .now)
        start(tone)
    }

    /// Plays a tone now, and reports when it cannot be captured any more.
    ///
    /// - Parameters:
    ///   - tone: Replaces one that is still playing.
    ///   - microphone: The open microphone.
    ///   - completion: Called once, within ``ToneSounds/longest``, with the time: what is captured from then
    ///     on is free of the tone. Called in this call, with ``always``, if there is no tone or it is not
    ///     kept out of what is captured.
    func play(
        _ tone: Tone,
        capturedBy microphone: Microphone,
        then completion: @escaping @EventLoop (MonotonicInstant) -> Void
    ) {
        finishWaiting(at: .now)
        guard isCaptured(tone) else {
            start(tone)
            return completion(Self.always)
        }
        wait = Wait(microphone: microphone, completion: completion)
        limit.arm(after: Self.startLimit)
        start(tone)
    }

    // MARK: The stream

    /// Opens or closes the stream.
    private func update() {
        retry.disarm()
        guard case .ready = server.state, sounds.areAudible, isNeeded || next != nil else { return close() }
        guard stream == nil else { return }
        let request = StreamRequest(
            name: "Tones",
            role: nil,
            latency: restingLatency,
            startsCorked: true,
            avoidedDevice: VirtualMicrophoneDevice.feedName,
            bufferLimit: ToneSounds.longest
        )
        do throws(AudioError) {
            stream = try PlaybackStream(on: server, request) { [weak self] in self?.handle($0) }
        } catch {
            failed(error)
        }
    }

    private func close() {
        finishWaiting(at: .now)
        stream?.close()
        stream = nil
        isOpen = false
        (next, playing) = (nil, nil)
    }

    private func handle(_ event: PlaybackStream.Event) {
        switch event {
        case .opened:
            isOpen = true
            hasFailed = false
            pauseEnd = nil
            startNext()
        case .started: measure()
        case .failed(let error): failed(error)
        case .writable, .underflowed, .moved: break
        }
    }

    /// Tries once more, because servers move and replace speakers; then with the next tone.
    private func failed(_ error: AudioError) {
        let isRepeated = hasFailed
        close()
        hasFailed = true
        guard error.kind != .serverLost, case .ready = server.state else { return }
        if isRepeated {
            pauseEnd = .now + Self.pause
            log.log(level: .notice, "no tones can be heard: \(error)")
        } else {
            retry.arm(after: Self.retryDelay)
        }
    }

    // MARK: Playing

    private func start(_ tone: Tone) {
        guard !sounds[tone].isEmpty, !isPaused else { return }
        guard isOpen, let stream else {
            next = tone
            return update()
        }
        let now = MonotonicInstant.now
        guard now >= earliest else {
            next = tone
            return turn.arm(at: earliest)
        }
        stream.setLatency(Self.latency)
        guard sounds[tone].withUnsafeBytes({ stream.replace(with: $0) }) else { return }
        earliest = now + Self.spacing
        (next, playing) = (nil, tone)
        number += 1
        wait?.number = number
        stream.cork(false)
        stream.drain { [weak self, number] in self?.ended(number) }
        if wait != nil, sounds.gate == .auto { askWhetherHeadset() }
    }

    private func startNext() {
        guard let tone = next else { return }
        next = nil
        start(tone)
    }

    private func ended(_ number: Int) {
        if wait?.number == number {
            wait?.isPlayed = true
            if case .checking = wait?.phase { measureCapture(of: number, after: .now) }
        }
        guard number == self.number, next == nil else { return }
        stop()
        closeUnneeded()
    }

    /// A wait for the end of the tone is over first: the tone is captured for longer than it is played.
    func closeUnneeded() {
        if !isNeeded, next == nil, wait == nil { close() }
    }

    func stop() {
        (next, playing) = (nil, nil)
        guard isOpen else { return }
        stream?.cork(true)
        stream?.flush()
        stream?.setLatency(restingLatency)
    }

    // MARK: Waiting until the tone cannot be captured

    private func askWhetherHeadset() {
        let number = number
        server.list([.sink]) { [weak self] devices in
            // Without an answer a microphone may hear the speaker.
            guard let self, self.number == number, case .success(let devices) = devices else { return }
            let sink = devices.sinks.first { $0.name == self.stream?.deviceName }
            if sink?.isHeadset == true { finishWaiting(at: Self.always) }
        }
    }

    /// The server has started to play: from now on its latency is that of the last sample.
    private func measure() {
        guard let number = wait?.number, let stream else { return }
        stream.latency { [weak self] playback in
            self?.measureCapture(of: number, after: .now + (playback ?? Self.unknownLatency))
        }
    }

    /// Asks how late the capture is, which delivers the tone until then. The answer comes after all that was
    /// delivered before.
    ///
    /// - Parameters:
    ///   - number: Of the tone.
    ///   - played: When the server has played it.
    private func measureCapture(of number: Int, after played: MonotonicInstant) {
        guard let wait, wait.number == number else { return }
        self.wait?.played = played
        wait.microphone.latency { [weak self] capture in
            guard let self, let wait = self.wait, wait.number == number else { return }
            let end = played + (capture ?? Self.unknownLatency) + Self.period
            if case .checking = wait.phase, end <= .now {
                finishWaiting(at: end)
                return closeUnneeded()
            }
            self.wait?.phase = .playing(until: end)
            limit.arm(at: min(end, wait.began + ToneSounds.longest))
        }
    }

    private func timeCame() {
        guard let wait else { return }
        let now = MonotonicInstant.now
        switch wait.phase {
        case .playing(let end) where end <= now: check(wait)
        case .starting where isOpen && wait.number != nil:
            // It must not be captured later. Whether the server has begun meanwhile is not known here yet.
            restingLatency = Self.latency
            stop()
            self.wait?.isPlayed = true
            self.wait?.phase = .checking
            limit.arm(at: wait.began + ToneSounds.longest)
            measure()
        case .starting, .playing, .checking:
            // The server has not received the tone, or does not come to its end.
            stop()
            finishWaiting(at: now)
            closeUnneeded()
        }
    }

    /// Asks again how late the capture is, once the tone has been played.
    private func check(_ wait: Wait) {
        self.wait?.phase = .checking
        limit.arm(at: wait.began + ToneSounds.longest)
        if wait.isPlayed, let number = wait.number { measureCapture(of: number, after: wait.played) }
    }

    func finishWaiting(at time: MonotonicInstant) {
        guard let wait else { return }
        self.wait = nil
        limit.disarm()
        wait.completion(time)
    }
}

import EventLoop
import Logging
import PTTCore
import PTTMessages

/// Hosts the machine that decides: feeds it what happened, one event at a time, and carries out what it orders.
///
/// Everything that can happen comes in through ``post(_:)``; whatever an effect brings about later comes in there too.
/// So the order of things is decided in one place, and ``TalkSession`` is never entered twice.
@EventLoop
final class CoreHost {
    private let log: Logger
    private let audio: AudioSocket
    private let microphone: Microphone
    private var session: TalkSession
    private var inbox: [TalkSession.Event] = []
    private var isTurning = false
    private var waiting: [RequestID: @EventLoop (TalkSession.Answer) -> Void] = [:]
    private var lastRequest = 0
    private var listener: ClientID?
    private var timer: TimerSource?

    /// Called for each event with its place in the sequence, while ``status`` is already what follows from it.
    var publish: @EventLoop (CoreEvent, Int, MonotonicTime) -> Void = { _, _, _ in }
    private(set) var sequence = 0

    init(timeLimit: Duration, audio: AudioSocket, microphone: Microphone, log: Logger) {
        self.audio = audio
        self.microphone = microphone
        self.log = log
        session = TalkSession(timeLimit: timeLimit)
        timer = TimerSource { [weak self] in self?.post(.timerFired) }
    }

    var status: Status { session.status }

    /// Tells the machine what happened, now or, from within an effect, right after the current event.
    func post(_ event: TalkSession.Event) {
        inbox.append(event)
        guard !isTurning else { return }
        isTurning = true
        while !inbox.isEmpty {
            turn(inbox.removeFirst())
        }
        isTurning = false
    }

    /// Posts an event that asks for an answer.
    func request(
        _ event: (RequestID) -> TalkSession.Event,
        answer: @escaping @EventLoop (TalkSession.Answer) -> Void
    ) {
        lastRequest += 1
        let identifier = RequestID(rawValue: lastRequest)
        waiting[identifier] = answer
        post(event(identifier))
    }

    private func turn(_ event: TalkSession.Event) {
        let now = MonotonicTime(nanoseconds: MonotonicInstant.now.nanoseconds)
        let effects = session.handle(event, at: now)
        // In the words of the scenario files of the tests, so that a trace from the field becomes one.
        log.debug("\(now) \(event)")
        for effect in effects {
            log.debug("\(now)   \(effect)")
            perform(effect, at: now)
        }
    }

    private func perform(_ effect: TalkSession.Effect, at now: MonotonicTime) {
        switch effect {
        case .reply(let request, let answer):
            waiting.removeValue(forKey: request)?(answer)
        case .publish(let event):
            sequence += 1
            publish(event, sequence, now)
            record(event)
        case .openCapture(let capture, let format):
            openMicrophone(capture, format)
        case .closeCapture:
            microphone.close()
        case .setTimer(let time):
            timer?.arm(at: MonotonicInstant(nanoseconds: time.nanoseconds))
        case .cancelTimer:
            timer?.disarm()
        case .deliverFrames(_, let client):
            listener = client
        case .stopFrames:
            listener = nil
        }
    }

    private func openMicrophone(_ capture: CaptureID, _ format: AudioFormat) {
        microphone.open(
            format,
            started: { [weak self] in self?.post(.captureStarted(capture)) },
            frame: { [weak self] header, samples in
                guard let self, let listener else { return }
                audio.send(header, samples, to: listener)
            },
            failed: { [weak self] cause in self?.post(.captureFailed(capture, cause)) }
        )
    }

    /// Each beginning and end, with source and cause, and nothing that could be heard.
    private func record(_ event: CoreEvent) {
        switch event {
        case .transmissionBegan(let transmission):
            log.info("transmission began", metadata: ["origin": "\(transmission.origin.name)"])
        case .transmissionEnded(let transmission, let cause):
            log.info(
                "transmission ended",
                metadata: ["origin": "\(transmission.origin.name)", "cause": "\(cause.rawValue)"]
            )
        case .transmissionRefused(let origin, let refusal):
            log.notice(
                "transmission refused",
                metadata: ["origin": "\(origin.name)", "reason": "\(refusal.reason)"]
            )
        case .channelJoined(let channel):
            log.info("channel joined", metadata: ["name": "\(channel.name)"])
        case .channelLeft:
            log.info("channel left")
        case .audioServerReady:
            log.info("audio server connected")
        case .audioServerLost:
            log.warning("audio server lost: start PipeWire or PulseAudio")
        case .descriptorChanged, .applicationDetached, .timeLimitNear, .audioActivating, .audioActivated,
            .audioDeactivated, .unknown:
            break
        }
    }
}

import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages
import ServiceClient

/// Lets ``Learner`` ask the person, with what ptt-accessoryd receives from the device.
@EventLoop
final class LearningDialog {
    struct Result {
        let device: AccessoryInterface.LearnedDevice
        let learned: LearnedInput
        let recording: LearningRecording
    }

    /// A request to the person, of `--json`.
    private struct RequestLine: Encodable {
        let request: String
        var step: Int?
    }

    private let command: LearnCommand
    private let device: String
    private let stop: StopSignal
    private var learner: Learner?
    /// Received before the device is ready.
    private var early: [(LearningFrame.Content, MonotonicTime)] = []
    private var found: AccessoryInterface.LearnedDevice?
    private var result: Result?
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired, at: .now) }

    init(_ command: LearnCommand, _ device: String) throws {
        self.command = command
        self.device = device
        stop = try StopSignal()
    }

    /// - Throws: The reason why nothing was learned.
    func run() async throws -> Result {
        let connection = try ServiceConnection.accessory()
        if !command.output.json {
            Terminal.print(localized("connecting \(device) … (press the button to wake it up)"))
        }
        connection.subscribe(
            AccessoryInterface.learn,
            AccessoryInterface.LearnRequest(device: device),
            timeLimit: .seconds(90),
            { [self] in handle($0) },
            ended: { [stop] error in
                stop.trigger(error ?? ServiceError.lost(.accessory, reason: "it stopped listening"))
            }
        )
        await stop.wait()
        timer.disarm()
        // Ends listening: presses count again.
        connection.close()
        if let result { return result }
        throw stop.failure ?? CommandError(localized("nothing was learned: it was stopped"))
    }

    private func handle(_ reply: AccessoryInterface.LearnReply) {
        if let device = reply.device {
            // It takes a minute to learn, whose result must be of use.
            do {
                _ = try LearnedFile.identifier(command.name, for: device, replaces: command.replace)
            } catch {
                return stop.trigger(error)
            }
            found = device
            var learner = Learner(transport: InputTransport(rawValue: device.transport))
            for (content, time) in early { _ = learner.handle(.received(content), at: time) }
            early = []
            self.learner = learner
            handle(.ready, at: .now)
        }
        guard let frame = reply.frame, let content = frame.content else { return }
        let time = MonotonicTime(nanoseconds: Int64(frame.time) * 1000)
        // ptt-accessoryd bounds their number.
        if learner == nil { early.append((content, time)) } else { handle(.received(content), at: time) }
    }

    private func handle(_ event: Learner.Event, at time: MonotonicTime) {
        for effect in learner?.handle(event, at: time) ?? [] {
            switch effect {
            case .show(let request): show(request)
            case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
            case .finished(let learned, let recording):
                if let found { result = Result(device: found, learned: learned, recording: recording) }
                stop.trigger()
            case .failed(let failure):
                stop.trigger(CommandError(localized("nothing was learned: \(failure.text)")))
            }
        }
    }

    private func show(_ request: LearningRequest) {
        if !command.output.json { return Terminal.print(Wording.line(request)) }
        let line =
            switch request {
            case .leaveAlone: RequestLine(request: "leaveAlone")
            case .press(let step): RequestLine(request: "press", step: step)
            case .letGo(let step): RequestLine(request: "letGo", step: step)
            case .pressTwice(let step): RequestLine(request: "pressTwice", step: step)
            }
        Terminal.print(line)
    }
}

extension Wording {
    static func line(_ request: LearningRequest) -> String {
        switch request {
        case .leaveAlone(let time):
            localized("do not touch the button for \(Int(time / .seconds(1))) seconds …")
        case .press(let step): localized("\(step) of \(LearningPlan.stepCount): PRESS and hold")
        case .letGo: "        " + localized("let go")
        case .pressTwice(let step):
            localized("\(step) of \(LearningPlan.stepCount): press TWICE, quickly")
        }
    }
}

extension AccessoryInterface.ReceivedFrame {
    /// Nil if a newer daemon sends something else.
    fileprivate var content: LearningFrame.Content? {
        if let key, let code = UInt16(exactly: key), let isPressed { return .key(code, isPressed: isPressed) }
        guard let value = value.flatMap({ [UInt8](hexadecimal: $0) }),
            let service = service.flatMap({ GattUUID($0) })
        else { return nil }
        guard let characteristic else { return .received(value, serviceClass: service) }
        return GattUUID(characteristic).map {
            .notified(value, GattAttribute(service: service, characteristic: $0))
        }
    }
}

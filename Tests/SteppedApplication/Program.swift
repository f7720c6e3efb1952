import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// `ptt-stepped-application CHANNEL`: goes one step further for each line on standard input, from attaching
/// to leaving its channel, so that a test can kill it at any of them.
@main
struct Program {
    static func main() {
        exit(EventLoop.run { SteppedApplication.begin() })
    }
}

@EventLoop
final class SteppedApplication {
    private static var running: SteppedApplication?

    private enum Step: String, CaseIterable {
        case attached
        case joined
        case began
        case active
        case ended
        case left
    }

    private let channelID: ChannelID
    private var remaining = Step.allCases[...]
    private var input: DescriptorSource?
    private var events: ServiceConnection?
    private var calls: ServiceConnection?
    private var isActive = false
    private var awaitsAudio = false
    /// A call whose result is an event, and its step.
    private var unanswered: (callID: CallID, step: Step)?

    static func begin() {
        guard CommandLine.arguments.count == 2, let channelID = ChannelID(CommandLine.arguments[1]) else {
            complain("the only argument is the UUID of the channel")
            return
        }
        let application = SteppedApplication(channelID)
        running = application
        do throws(SystemError) {
            application.input = try DescriptorSource(STDIN_FILENO, .readable) { _ in application.read() }
        } catch {
            complain("\(error)")
        }
    }

    private init(_ channelID: ChannelID) {
        self.channelID = channelID
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else { return EventLoop.exit(code: EXIT_SUCCESS) }
        for _ in buffer[..<count].filter({ $0 == UInt8(ascii: "\n") }) {
            guard let step = remaining.popFirst() else { return EventLoop.exit(code: EXIT_SUCCESS) }
            begin(step)
        }
    }

    private func begin(_ step: Step) {
        switch step {
        case .attached: attach()
        case .joined:
            let request = ChannelInterface.JoinRequest(
                channelID: channelID,
                name: "Stepped",
                application: nil
            )
            calls?.call(ChannelInterface.join, request) { Self.report(step, $0.map { _ in }) }
        case .began:
            let origin = Origin(kind: .application, identifier: "\(getpid())", name: "Stepped")
            let request = ChannelInterface.BeginRequest(
                channelID: channelID,
                source: .developerRequest,
                origin: origin
            )
            calls?.call(ChannelInterface.beginTransmitting, request) { Self.report(step, $0.map { _ in }) }
        case .active:
            awaitsAudio = true
            reportIfActive()
        case .ended:
            remember(step)
            let request = ChannelInterface.EndRequest(channelID: channelID, origin: nil, cause: .stopped)
            calls?.call(ChannelInterface.endTransmitting, request) { Self.reportFailure($0.map { _ in }) }
        case .left:
            remember(step)
            let request = ChannelInterface.LeaveRequest(channelID: channelID)
            calls?.call(ChannelInterface.leave, request) { Self.reportFailure($0.map { _ in }) }
        }
    }

    private func remember(_ step: Step) {
        unanswered = calls?.nextCallID.map { ($0, step) }
    }

    private func attach() {
        do throws(ServiceError) {
            let events = try ServiceConnection.core()
            self.events = events
            let request = ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: "org.example.Stepped"),
                name: "Stepped"
            )
            events.attach(request, { [self] in apply($0) }, ended: { Self.complain("\($0)") })
        } catch {
            Self.complain("\(error)")
        }
    }

    private func apply(_ update: ApplicationInterface.Update) {
        if let attachment = update.attachment { useCalls(attachment.callToken) }
        if update.event == .audioActivated { isActive = true }
        if update.event == .audioDeactivated { isActive = false }
        if case .requestAnswered(let callID?, let refusal) = update.event, callID == unanswered?.callID {
            answered(refusal)
        }
        reportIfActive()
    }

    private func answered(_ refusal: Refusal?) {
        if let refusal { return Self.complain(refusal.reason) }
        if let step = unanswered?.step { Self.say(step.rawValue) }
    }

    private func useCalls(_ token: String) {
        do throws(ServiceError) {
            let calls = try ServiceConnection.core()
            self.calls = calls
            calls.useAttachment(token) { Self.report(.attached, $0) }
        } catch {
            Self.complain("\(error)")
        }
    }

    private func reportIfActive() {
        guard awaitsAudio, isActive else { return }
        awaitsAudio = false
        Self.report(.active, .success(()))
    }

    private static func reportFailure(_ result: Result<Void, ServiceError>) {
        if case .failure(let error) = result { complain("\(error)") }
    }

    private static func report(_ step: Step, _ result: Result<Void, ServiceError>) {
        switch result {
        case .success: say(step.rawValue)
        case .failure(let error): complain("\(error)")
        }
    }

    /// Reports to the test, which ends this program.
    private static func complain(_ reason: String) {
        say("failed: \(reason)")
    }

    private static func say(_ line: String) {
        var text = line + "\n"
        // The test has gone.
        _ = text.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

internal import CoreLink
internal import EventLoop
public import Foundation
internal import PTTMessages
internal import PTTPlatformTypes
internal import Synchronization

/// The application's end of the channel of this machine.
///
/// There is one channel on the machine and one manager in a process. Callbacks come one after the other on a serial
/// queue (``pttCallbackQueue``), each when what it tells of has happened and before anything later; Apple documents no
/// queue, and an application that needs a certain one hops to it, as on iOS. When the last reference to the manager is
/// gone no callback comes any more; its channel stays joined, and the next manager gets it back.
///
/// Delegates are held weakly; Apple does not say how it holds them.
public final class PTChannelManager: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind `state`, or touched on the callback queue only, as said there.

    /// Unchecked: the delegates are the application's, and are only called on the callback queue.
    private struct State: @unchecked Sendable {
        var activeChannelUUID: UUID?
        weak var delegate: (any PTChannelManagerDelegate)?
        weak var restorationDelegate: (any PTChannelRestorationDelegate)?
        /// The push that the delegate looks at.
        var asked: Asked?
    }

    private struct Asked {
        let pushID: PushID
        let channelUUID: UUID
        /// Whether the delegate asked to stop transmitting meanwhile.
        var stops = false
    }

    /// How long a stop waits for the answer to a push that it belongs to. The microphone is open meanwhile.
    private static let answerLimit = Duration.milliseconds(250)

    private let state: Mutex<State>
    let session: Session
    let outbox: Outbox

    /// The channel that is joined for this application, as far as it was told: the UUID of `didJoinChannel` from within
    /// that callback until `didLeaveChannel`. After a restoration it is set before the manager is handed over.
    public var activeChannelUUID: UUID? { state.withLock { $0.activeChannelUUID } }

    var delegate: (any PTChannelManagerDelegate)? { state.withLock { $0.delegate } }

    private var accessoryDelegate: (any PTTAccessoryDelegate)? { delegate as? any PTTAccessoryDelegate }

    var restorationDelegate: (any PTChannelRestorationDelegate)? {
        state.withLock { $0.restorationDelegate }
    }

    init(
        _ delegate: any PTChannelManagerDelegate,
        _ restorationDelegate: any PTChannelRestorationDelegate,
        _ manifest: Manifest
    ) {
        state = Mutex(State(delegate: delegate, restorationDelegate: restorationDelegate))
        outbox = Outbox(Self.pttCallbackQueue ?? DispatchQueue(label: "org.pushtotalk.callbacks"))
        session = Session(manifest, outbox, .shared)
        super.init()
        outbox.open(for: self)
    }

    deinit {
        let session = session
        AVAudioSession.sharedInstance().activated(false)
        EventLoop.start { session.close() }
    }

    // MARK: - Requests that are answered by the delegate

    /// Asks for a channel to be joined. Answered by `didJoinChannel` or `failedToJoinChannel`.
    ///
    /// - Parameters:
    ///   - channelUUID: Chosen by the application, which keeps it together with the descriptor.
    ///   - descriptor: What people see of the channel. An image that is no PNG, JPEG, GIF or WebP file of at most
    ///     256 KiB is left out, and the journal of `pttd` says so.
    public func requestJoinChannel(channelUUID: UUID, descriptor: PTChannelDescriptor) {
        let request = CoreInterface.JoinRequest(
            channelID: ChannelID(channelUUID),
            name: descriptor.name,
            application: nil,
            image: descriptor.imageText
        )
        onSession { session in
            session.join(ChannelID(channelUUID), request) { refusal in
                .failedToJoin(channelUUID, PTChannelError(refusal))
            }
        }
    }

    /// Leaves the channel. Answered by `didLeaveChannel` or `failedToLeaveChannel`.
    public func leaveChannel(channelUUID: UUID) {
        onSession { session in
            session.call {
                $0.leave(ChannelID(channelUUID), then: $1)
            } completion: {
                session.tell($0) { .failedToLeave(channelUUID, $0) }
            }
        }
    }

    /// Asks to talk. Answered by `didBeginTransmittingFrom`, after which the microphone comes with `didActivate`, or by
    /// `failedToBeginTransmittingInChannel`.
    public func requestBeginTransmitting(channelUUID: UUID) {
        let origin = Origin(
            kind: .application,
            identifier: "\(ProcessInfo.processInfo.processIdentifier)",
            name: ProcessInfo.processInfo.processName
        )
        let request = CoreInterface.BeginRequest(
            channelID: ChannelID(channelUUID),
            source: .developerRequest,
            origin: origin
        )
        onSession { session in
            session.call { connection, then in
                connection.begin(request) { then($0.map { _ in }) }
            } completion: {
                session.tell($0) { .failedToBegin(channelUUID, $0) }
            }
        }
    }

    /// Ends the transmission, whoever began it. Answered by `didEndTransmittingFrom` or
    /// `failedToStopTransmittingInChannel`.
    ///
    /// While `incomingPushResult` runs, it takes effect together with the answer to the push, whatever queue it is called
    /// on: if that is a participant, the audio session stays active throughout. After a quarter of a second without the
    /// answer it takes effect alone.
    public func stopTransmitting(channelUUID: UUID) {
        let before = state.withLock { state in
            guard let asked = state.asked, asked.channelUUID == channelUUID else { return Asked?.none }
            state.asked?.stops = true
            return asked
        }
        guard let before else { return stop(channelUUID) }
        guard !before.stops else { return }
        let pushID = before.pushID
        onSession { session in
            session.stopLater(after: Self.answerLimit) { [weak self] in
                self?.stopUnanswered(pushID, channelUUID)
            }
        }
    }

    /// The delegate asked for the end and has not answered its push: the end comes without it.
    private func stopUnanswered(_ pushID: PushID, _ channelUUID: UUID) {
        let isWanted = state.withLock { state in
            guard let asked = state.asked, asked.pushID == pushID, asked.stops else { return false }
            state.asked?.stops = false
            return true
        }
        if isWanted { stop(channelUUID) }
    }

    private func stop(_ channelUUID: UUID) {
        let request = CoreInterface.EndRequest(
            channelID: ChannelID(channelUUID),
            origin: nil,
            cause: .stopped
        )
        onSession { session in
            session.call {
                $0.end(request, then: $1)
            } completion: {
                session.tell($0) { .failedToStop(channelUUID, $0) }
            }
        }
    }

    // MARK: - Within the callback queue

    func take(_ callback: Callback) {
        switch callback {
        case .joined(let uuid, let reason):
            state.withLock { $0.activeChannelUUID = uuid }
            delegate?.channelManager(self, didJoinChannel: uuid, reason: reason)
        case .left(let uuid, let reason):
            state.withLock { $0.activeChannelUUID = nil }
            delegate?.channelManager(self, didLeaveChannel: uuid, reason: reason)
        case .began(let uuid, let source):
            delegate?.channelManager(self, channelUUID: uuid, didBeginTransmittingFrom: source)
        case .ended(let uuid, let source):
            delegate?.channelManager(self, channelUUID: uuid, didEndTransmittingFrom: source)
        case .token(let token):
            delegate?.channelManager(self, receivedEphemeralPushToken: token.bytes)
        case .activated:
            AVAudioSession.sharedInstance().activated(true)
            delegate?.channelManager(self, didActivate: .sharedInstance())
        case .deactivated:
            AVAudioSession.sharedInstance().activated(false)
            delegate?.channelManager(self, didDeactivate: .sharedInstance())
        case .interruption(let began):
            AVAudioSession.sharedInstance().interrupted(began)
        case .pressed(let uuid, let accessory):
            accessoryDelegate?.channelManager(self, channelUUID: uuid, pttAccessoryPressed: accessory)
        case .released(let uuid, let accessory):
            accessoryDelegate?.channelManager(self, channelUUID: uuid, pttAccessoryReleased: accessory)
        case .routeChanged(let input, let output):
            AVAudioSession.sharedInstance().routeChanged(input: input, output: output)
        case .servicesLost:
            AVAudioSession.sharedInstance().servicesWereLost()
        case .servicesReset:
            AVAudioSession.sharedInstance().servicesWereReset()
        case .push(let push):
            take(push)
        case .failedToJoin(let uuid, let error):
            delegate?.channelManager(self, failedToJoinChannel: uuid, error: error)
        case .failedToLeave(let uuid, let error):
            delegate?.channelManager(self, failedToLeaveChannel: uuid, error: error)
        case .failedToBegin(let uuid, let error):
            delegate?.channelManager(self, failedToBeginTransmittingInChannel: uuid, error: error)
        case .failedToStop(let uuid, let error):
            delegate?.channelManager(self, failedToStopTransmittingInChannel: uuid, error: error)
        case .perform(let completion):
            completion()
        }
    }

    private func take(_ delivered: DeliveredPush) {
        let push = delivered.push
        guard delivered.take() else {
            return Diagnostics.note("push \(push.pushID.rawValue) waited too long for the callback queue")
        }
        switch push.kind {
        case .pushToTalk:
            delivered.answer(result(of: delivered))
        case .serviceUpdate:
            let completion = OnceOnly("the completion of service update \(push.pushID.rawValue)") {
                delivered.answer(.init(pushID: push.pushID, result: .processed))
            }
            guard let delegate else { return completion.call() }
            delegate.incomingServiceUpdatePush(
                channelManager: self,
                channelUUID: delivered.channelUUID,
                pushPayload: delivered.payload,
                isHighPriority: push.isHighPriority,
                remainingHighPriorityBudget: push.remainingHighPriorityBudget,
                completion: { completion.call() }
            )
        case .unknown:
            delivered.answer(.init(pushID: push.pushID, result: .unknown))
        }
    }

    private func result(of delivered: DeliveredPush) -> ApplicationInterface.FinishPushRequest {
        let pushID = delivered.push.pushID
        state.withLock { $0.asked = Asked(pushID: pushID, channelUUID: delivered.channelUUID) }
        let result = delegate?.incomingPushResult(
            channelManager: self,
            channelUUID: delivered.channelUUID,
            pushPayload: delivered.payload
        )
        let endsTransmission = state.withLock { state in
            defer { state.asked = nil }
            return state.asked?.stops ?? false
        }
        guard let result else {
            return .init(pushID: pushID, result: .unknown, endsTransmission: endsTransmission)
        }
        return result.answer(to: pushID, endsTransmission: endsTransmission)
    }

    /// Others to tell from now on.
    func adopt(
        _ delegate: any PTChannelManagerDelegate,
        _ restorationDelegate: any PTChannelRestorationDelegate
    ) {
        state.withLock {
            $0.delegate = delegate
            $0.restorationDelegate = restorationDelegate
        }
    }

    func onSession(_ body: @escaping @EventLoop (Session) -> Void) {
        let session = session
        EventLoop.start { body(session) }
    }
}

extension PushToken {
    /// What its hexadecimal digits stand for: applications write those themselves, as for Apple's push service.
    var bytes: Data {
        let digits = rawValue.compactMap(\.hexDigitValue)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        )
    }
}

/// A completion that the application must call, and may call twice by mistake.
final class OnceOnly: Sendable {
    private let name: String
    private let body: @Sendable () -> Void
    private let isCalled = Mutex(false)

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    deinit {
        if !isCalled.withLock({ $0 }) { Diagnostics.note("\(name) was not called") }
    }

    func call() {
        let isFirst = isCalled.withLock { isCalled in
            defer { isCalled = true }
            return !isCalled
        }
        if isFirst { body() }
    }
}

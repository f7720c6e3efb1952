import EventLoop
public import Foundation
import PTTMessages
import PTTPlatformTypes
import ServiceClient
import Synchronization

/// Joins a channel, begins and ends its transmissions, and notifies a delegate of its events.
///
/// A machine has one channel, and a process has one manager. The manager calls its delegate's methods one at
/// a time on a serial queue (``pttCallbackQueue``), each after its event and before any later event. Apple
/// documents no queue; an application that needs a certain queue dispatches to it, as on iOS. After the last
/// reference to the manager is released, no delegate method is called; the completion handlers of pending
/// calls are, with an error. The channel stays joined, and the next manager restores it.
///
/// The manager holds its delegates weakly; Apple does not document how its manager holds them.
public final class PTChannelManager: NSObject, @unchecked Sendable {
    // Unchecked: all mutable state is in `state`, behind its lock.

    /// Unchecked: the delegates are only called on the callback queue.
    struct State: @unchecked Sendable {
        var activeChannelUUID: UUID?
        weak var delegate: (any PTChannelManagerDelegate)?
        weak var restorationDelegate: (any PTChannelRestorationDelegate)?
        var transmissionRole: PTTButtonRole?
        /// The push that the delegate is handling.
        var pendingPush: PendingPush?
    }

    struct PendingPush {
        let pushID: PushID
        let channelUUID: UUID
        /// True if the delegate has called `stopTransmitting` meanwhile.
        var isStopRequested = false
    }

    /// The time for which `stopTransmitting` waits for the answer to the push that is being handled. The
    /// microphone is open meanwhile.
    private static let answerLimit = Duration.milliseconds(250)

    let state: Mutex<State>
    let attachment: Attachment
    let callbackQueue: CallbackQueue

    /// The joined channel: the UUID of `didJoinChannel`, from that call of the delegate until the call of
    /// `didLeaveChannel`. For a restored channel it is set before the application receives the manager.
    public var activeChannelUUID: UUID? { state.withLock { $0.activeChannelUUID } }

    var delegate: (any PTChannelManagerDelegate)? { state.withLock { $0.delegate } }

    var accessoryDelegate: (any PTTAccessoryDelegate)? { delegate as? any PTTAccessoryDelegate }

    var buttonDelegate: (any PTTButtonDelegate)? { delegate as? any PTTButtonDelegate }

    var restorationDelegate: (any PTChannelRestorationDelegate)? {
        state.withLock { $0.restorationDelegate }
    }

    init(
        delegate: any PTChannelManagerDelegate,
        restorationDelegate: any PTChannelRestorationDelegate,
        manifest: Manifest
    ) {
        state = Mutex(State(delegate: delegate, restorationDelegate: restorationDelegate))
        // A serial queue of its own, because the target may be concurrent.
        callbackQueue = CallbackQueue(
            DispatchQueue(label: "org.pushtotalk.callbacks", target: Self.pttCallbackQueue)
        )
        attachment = Attachment(of: manifest, callbackQueue: callbackQueue, audio: .shared)
        super.init()
        callbackQueue.setRecipient(self)
    }

    deinit {
        let attachment = attachment
        AVAudioSession.sharedInstance().activated(false)
        // Whoever observes the session outlives the manager.
        callbackQueue.complete { AVAudioSession.sharedInstance().endInterruption() }
        EventLoop.start { attachment.close() }
    }

    // MARK: - Requests whose result a delegate method reports

    /// Requests to join a channel. The delegate's `didJoinChannel` or `failedToJoinChannel` reports the
    /// result.
    ///
    /// - Parameters:
    ///   - channelUUID: The application chooses it, and saves it together with the descriptor.
    ///   - descriptor: The name and the image that people see. An image is left out, and the journal of
    ///     `pttd` reports it, unless it is a PNG, JPEG, GIF or WebP file of at most 256 KiB.
    public func requestJoinChannel(channelUUID: UUID, descriptor: PTChannelDescriptor) {
        let channelID = ChannelID(channelUUID)
        let request = ChannelInterface.JoinRequest(
            channelID: channelID,
            name: descriptor.name,
            application: nil,
            image: descriptor.image?.base64
        )
        onAttachment { $0.join(channelID, request) }
    }

    /// Leaves the channel. The delegate's `didLeaveChannel` or `failedToLeaveChannel` reports the result.
    public func leaveChannel(channelUUID: UUID) {
        let request = ChannelInterface.LeaveRequest(channelID: ChannelID(channelUUID))
        onAttachment { attachment in
            attachment.call(ChannelInterface.leave, request, ignoringLimit: true) {
                attachment.report($0) { .failedToLeave(channelUUID, $0) }
            }
        }
    }

    /// Requests a transmission. The delegate's `didBeginTransmittingFrom` or
    /// `failedToBeginTransmittingInChannel` reports the result. The microphone is available from
    /// `didActivate` on.
    public func requestBeginTransmitting(channelUUID: UUID) {
        pttRequestBeginTransmitting(channelUUID: channelUUID, role: .talk)
    }

    func begin(_ channelUUID: UUID, _ role: ButtonRole) {
        let origin = Origin(
            kind: .application,
            identifier: "\(ProcessInfo.processInfo.processIdentifier)",
            name: ProcessInfo.processInfo.processName
        )
        let request = ChannelInterface.BeginRequest(
            channelID: ChannelID(channelUUID),
            source: .developerRequest,
            origin: origin,
            role: role
        )
        onAttachment { attachment in
            attachment.call(ChannelInterface.beginTransmitting, request) {
                attachment.report($0) { .failedToBegin(channelUUID, $0) }
            }
        }
    }

    /// Ends the transmission, whether the application, a button or a person began it. The delegate's
    /// `didEndTransmittingFrom` or `failedToStopTransmittingInChannel` reports the result.
    ///
    /// A call while `incomingPushResult` runs, from any queue, takes effect together with the result of the
    /// push: if that is a participant, the audio session stays active throughout. If there is no result
    /// within 250 milliseconds, the transmission ends without it.
    public func stopTransmitting(channelUUID: UUID) {
        let before = state.withLock { state in
            guard let pending = state.pendingPush, pending.channelUUID == channelUUID else {
                return PendingPush?.none
            }
            state.pendingPush?.isStopRequested = true
            return pending
        }
        guard let before else { return stop(channelUUID) }
        guard !before.isStopRequested else { return }
        let pushID = before.pushID
        onAttachment { attachment in
            let timer = TimerSource { [weak self] in self?.stopUnanswered(pushID, channelUUID) }
            timer.arm(after: Self.answerLimit)
            attachment.scheduledStop = timer
        }
    }

    /// Ends the transmission without the answer to the push, unless the answer has come.
    private func stopUnanswered(_ pushID: PushID, _ channelUUID: UUID) {
        let isWanted = state.withLock { state in
            guard let pending = state.pendingPush, pending.pushID == pushID, pending.isStopRequested else {
                return false
            }
            state.pendingPush?.isStopRequested = false
            return true
        }
        if isWanted { stop(channelUUID) }
    }

    func stop(_ channelUUID: UUID, _ cause: EndCause = .stopped) {
        let request = ChannelInterface.EndRequest(
            channelID: ChannelID(channelUUID),
            origin: nil,
            cause: cause
        )
        onAttachment { attachment in
            attachment.call(ChannelInterface.endTransmitting, request, ignoringLimit: true) {
                attachment.report($0) { .failedToStop(channelUUID, $0) }
            }
        }
    }

    func onAttachment(_ body: @escaping @EventLoop (Attachment) -> Void) {
        let attachment = attachment
        EventLoop.start { body(attachment) }
    }
}

import EventLoop
public import Foundation
import PTTMessages
import PTTPlatformTypes
import ServiceClient
import Synchronization

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
    struct State: @unchecked Sendable {
        var activeChannelUUID: UUID?
        weak var delegate: (any PTChannelManagerDelegate)?
        weak var restorationDelegate: (any PTChannelRestorationDelegate)?
        /// The push that the delegate looks at.
        var pendingPush: PendingPush?
    }

    struct PendingPush {
        let pushID: PushID
        let channelUUID: UUID
        /// Whether the delegate asked to stop transmitting meanwhile.
        var isStopRequested = false
    }

    /// How long a stop waits for the answer to a push that it belongs to. The microphone is open meanwhile.
    private static let answerLimit = Duration.milliseconds(250)

    let state: Mutex<State>
    let attachment: Attachment
    let callbackQueue: CallbackQueue

    /// The channel that is joined for this application, as far as it was told: the UUID of `didJoinChannel` from within
    /// that callback until `didLeaveChannel`. After a restoration it is set before the manager is handed over.
    public var activeChannelUUID: UUID? { state.withLock { $0.activeChannelUUID } }

    var delegate: (any PTChannelManagerDelegate)? { state.withLock { $0.delegate } }

    var accessoryDelegate: (any PTTAccessoryDelegate)? { delegate as? any PTTAccessoryDelegate }

    var restorationDelegate: (any PTChannelRestorationDelegate)? {
        state.withLock { $0.restorationDelegate }
    }

    init(
        delegate: any PTChannelManagerDelegate,
        restorationDelegate: any PTChannelRestorationDelegate,
        manifest: Manifest
    ) {
        state = Mutex(State(delegate: delegate, restorationDelegate: restorationDelegate))
        // Its own in any case: one that runs several blocks at once would mix up what is told.
        callbackQueue = CallbackQueue(
            DispatchQueue(label: "org.pushtotalk.callbacks", target: Self.pttCallbackQueue)
        )
        attachment = Attachment(of: manifest, callbackQueue: callbackQueue, audio: .shared)
        super.init()
        callbackQueue.open(for: self)
    }

    deinit {
        let attachment = attachment
        AVAudioSession.sharedInstance().activated(false)
        EventLoop.start { attachment.close() }
    }

    // MARK: - Requests that are answered by the delegate

    /// Asks for a channel to be joined. Answered by `didJoinChannel` or `failedToJoinChannel`.
    ///
    /// - Parameters:
    ///   - channelUUID: Chosen by the application, which keeps it together with the descriptor.
    ///   - descriptor: What people see of the channel. An image that is no PNG, JPEG, GIF or WebP file of at most
    ///     256 KiB is left out, and the journal of `pttd` says so.
    public func requestJoinChannel(channelUUID: UUID, descriptor: PTChannelDescriptor) {
        let request = ChannelInterface.JoinRequest(
            channelID: ChannelID(channelUUID),
            name: descriptor.name,
            application: nil,
            image: descriptor.imageText
        )
        onAttachment { attachment in
            attachment.join(ChannelID(channelUUID), request) { refusal in
                .failedToJoin(channelUUID, PTChannelError(refusal))
            }
        }
    }

    /// Leaves the channel. Answered by `didLeaveChannel` or `failedToLeaveChannel`.
    public func leaveChannel(channelUUID: UUID) {
        let request = ChannelInterface.LeaveRequest(channelID: ChannelID(channelUUID))
        onAttachment { attachment in
            attachment.call(ChannelInterface.leave, request, isEnd: true) {
                attachment.report($0) { .failedToLeave(channelUUID, $0) }
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
        let request = ChannelInterface.BeginRequest(
            channelID: ChannelID(channelUUID),
            source: .developerRequest,
            origin: origin
        )
        onAttachment { attachment in
            attachment.call(ChannelInterface.beginTransmitting, request) {
                attachment.report($0) { .failedToBegin(channelUUID, $0) }
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
            attachment.scheduleStop(after: Self.answerLimit) { [weak self] in
                self?.stopUnanswered(pushID, channelUUID)
            }
        }
    }

    /// The delegate asked for the end and has not answered its push: the end comes without it.
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

    private func stop(_ channelUUID: UUID) {
        let request = ChannelInterface.EndRequest(
            channelID: ChannelID(channelUUID),
            origin: nil,
            cause: .stopped
        )
        onAttachment { attachment in
            attachment.call(ChannelInterface.endTransmitting, request, isEnd: true) {
                attachment.report($0) { .failedToStop(channelUUID, $0) }
            }
        }
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

    func onAttachment(_ body: @escaping @EventLoop (Attachment) -> Void) {
        let attachment = attachment
        EventLoop.start { body(attachment) }
    }
}

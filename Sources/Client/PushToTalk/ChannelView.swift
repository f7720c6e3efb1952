import Foundation
import PTTMessages

/// The channel as the delegate was notified of it, and the callbacks that come next.
///
/// Each method handles one event and returns its callbacks, in order, so that the delegate is notified of
/// each beginning once, and of its end, whatever the core reports or is lost before it can report.
enum ChannelView: Equatable {
    /// The transmission and the audio session of a channel.
    struct Activity: Equatable {
        var isTransmitting = false
        var isActive = false
        /// An interruption by a call lasts also without a participant.
        var interruption: Interruption?
        /// Buttons that the delegate was notified of as pressed, and not as released.
        var pressed: [Button] = []
    }

    /// A button of an accessory.
    struct Button: Equatable {
        let origin: Origin
        let role: ButtonRole

        var accessory: PTTAccessory { PTTAccessory(origin, role) }
    }

    case notJoined
    /// The core has carried out `Join`, and reports the channel next.
    case joining(ChannelID)
    /// The core restores the channel, and reports it next.
    ///
    /// - Parameters:
    ///   - token: Delivered after `didJoinChannel`.
    ///   - isReported: True if the delegate was notified of the channel as joined before the core was lost.
    case restoring(ChannelID, token: PushToken, isReported: Bool)
    case joined(ChannelID, Activity)
    /// The delegate was notified of the channel as joined, and the core was lost. The next attachment says
    /// whether the channel is restored or was left.
    case unattended(ChannelID)

    /// The channel of a push, which may come before the restored channel is reported.
    var channelID: ChannelID? {
        switch self {
        case .notJoined, .joining: nil
        case .restoring(let channelID, token: _, isReported: _), .joined(let channelID, _),
            .unattended(let channelID):
            channelID
        }
    }

    // MARK: The connection to the core

    mutating func attached(_ attachment: ApplicationInterface.Attachment) -> [Callback] {
        // A new attachment follows the end of the previous one.
        var callbacks = lost()
        let restored = attachment.restored?.channelID
        let before = reportedChannelID
        if let left = attachment.left, left.channelID != restored, before == nil || before == left.channelID {
            callbacks.append(.left(left.channelID.uuid, PTChannelLeaveReason(left.reason)))
        } else if let before, before != restored {
            callbacks.append(.left(before.uuid, .unknown))
        }
        guard let restored else {
            self = .notJoined
            return callbacks + [.token(attachment.pushToken)]
        }
        self = .restoring(restored, token: attachment.pushToken, isReported: before == restored)
        return callbacks
    }

    /// The core is lost, and with it every transmission and the audio session.
    mutating func lost() -> [Callback] {
        switch self {
        case .notJoined, .unattended:
            return []
        case .joining(let channelID):
            self = .notJoined
            return [.failedToJoin(channelID.uuid, PTChannelError(.lost))]
        case .restoring(let channelID, token: _, let isReported):
            self = isReported ? .unattended(channelID) : .notJoined
            return []
        case .joined(let channelID, let activity):
            self = .unattended(channelID)
            return activity.ending(of: channelID)
        }
    }

    // MARK: Events of the core

    /// The core has carried out `Join`.
    mutating func granted(_ channelID: ChannelID) {
        guard case .notJoined = self else { return }
        self = .joining(channelID)
    }

    /// The application's other attachment, which had the channel, has ended, or the core has read it late.
    mutating func restored(_ channelID: ChannelID, token: PushToken) {
        guard case .notJoined = self else { return }
        self = .restoring(channelID, token: token, isReported: false)
    }

    mutating func joined(_ channelID: ChannelID, _ reason: JoinReason) -> [Callback] {
        let joined = Callback.joined(channelID.uuid, PTChannelJoinReason(reason))
        switch self {
        case .joining(channelID):
            self = .joined(channelID, Activity())
            return [joined]
        case .restoring(channelID, let token, isReported: _):
            self = .joined(channelID, Activity())
            return [joined, .token(token)]
        case .notJoined, .joining, .restoring, .joined, .unattended:
            return []  // Another application's.
        }
    }

    mutating func left(_ reason: LeaveReason) -> [Callback] {
        defer { self = .notJoined }
        let reason = PTChannelLeaveReason(reason)
        switch self {
        case .notJoined:
            return []
        case .joining(let channelID):
            return [.failedToJoin(channelID.uuid, PTChannelError(.leftAgain))]
        case .restoring(let channelID, let token, let isReported):
            return (isReported ? [.left(channelID.uuid, reason)] : []) + [.token(token)]
        case .joined(let channelID, let activity):
            return activity.ending(of: channelID) + [.left(channelID.uuid, reason)]
        case .unattended(let channelID):
            return [.left(channelID.uuid, reason)]
        }
    }

    mutating func transmissionBegan(_ source: TransmitSource, _ role: ButtonRole) -> [Callback] {
        change { channelID, activity in
            guard !activity.isTransmitting else { return [] }
            activity.isTransmitting = true
            let source = PTChannelTransmitRequestSource(source)
            return [.began(channelID.uuid, source, PTTButtonRole(role))]
        }
    }

    mutating func transmissionEnded(_ source: TransmitSource) -> [Callback] {
        change { channelID, activity in
            guard activity.isTransmitting else { return [] }
            activity.isTransmitting = false
            return [.ended(channelID.uuid, PTChannelTransmitRequestSource(source))]
        }
    }

    mutating func audioActivated() -> [Callback] {
        change { _, activity in
            guard !activity.isActive else { return [] }
            activity.isActive = true
            return activity.endInterruption() + [.activated]
        }
    }

    mutating func audioDeactivated() -> [Callback] {
        change { _, activity in
            guard activity.isActive else { return [] }
            activity.isActive = false
            return [.deactivated]
        }
    }

    mutating func audioInterrupted(by interruption: Interruption) -> [Callback] {
        change { _, activity in
            guard activity.interruption == nil else { return [] }
            activity.interruption = interruption
            return [.interruption(began: true)]
        }
    }

    mutating func audioInterruptionEnded() -> [Callback] {
        change { _, activity in activity.endInterruption() }
    }

    /// No participant is set any more: an interruption ends unless it is a call.
    mutating func participantCleared() -> [Callback] {
        change { _, activity in
            let isOver = !activity.isActive && activity.interruption != .call
            return isOver ? activity.endInterruption() : []
        }
    }

    mutating func pressed(_ button: Button) -> [Callback] {
        change { channelID, activity in
            guard !activity.pressed.contains(button) else { return [] }
            activity.pressed.append(button)
            return [.pressed(channelID.uuid, button.accessory)]
        }
    }

    mutating func released(_ button: Button) -> [Callback] {
        change { channelID, activity in
            guard let index = activity.pressed.firstIndex(of: button) else { return [] }
            activity.pressed.remove(at: index)
            return [.released(channelID.uuid, button.accessory)]
        }
    }

    private var reportedChannelID: ChannelID? {
        switch self {
        case .joined(let channelID, _), .unattended(let channelID),
            .restoring(let channelID, token: _, isReported: true):
            channelID
        case .notJoined, .joining, .restoring:
            nil
        }
    }

    /// Changes the activity of a joined channel; an event that comes before the channel is joined has no
    /// callbacks.
    private mutating func change(_ body: (ChannelID, inout Activity) -> [Callback]) -> [Callback] {
        switch self {
        case .notJoined, .joining, .restoring, .unattended:
            return []
        case .joined(let channelID, var activity):
            let callbacks = body(channelID, &activity)
            self = .joined(channelID, activity)
            return callbacks
        }
    }
}

extension ChannelView.Activity {
    fileprivate mutating func endInterruption() -> [Callback] {
        guard interruption != nil else { return [] }
        interruption = nil
        return [.interruption(began: false)]
    }

    /// The callbacks for everything that ends with the channel, or with the core.
    fileprivate func ending(of channelID: ChannelID) -> [Callback] {
        var callbacks: [Callback] = []
        if isTransmitting { callbacks.append(.ended(channelID.uuid, .unknown)) }
        if isActive { callbacks.append(.deactivated) }
        if interruption != nil { callbacks.append(.interruption(began: false)) }
        return callbacks + pressed.map { .released(channelID.uuid, $0.accessory) }
    }
}

extension Refusal {
    static let lost = Refusal(.unknown, "the connection to pttd was lost")
    static let leftAgain = Refusal(.unknown, "the channel was left right after it was joined")
}

extension ChannelID {
    init(_ uuid: UUID) {
        guard let channelID = ChannelID(uuid.uuidString) else {
            preconditionFailure("Foundation writes a UUID in the form of RFC 4122, which is what is read")
        }
        self = channelID
    }

    var uuid: UUID {
        guard let uuid = UUID(uuidString: text) else {
            preconditionFailure("A channel identifier is the text of a UUID by its own check")
        }
        return uuid
    }
}

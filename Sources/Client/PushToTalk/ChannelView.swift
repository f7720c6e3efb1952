import Foundation
import PTTMessages

/// What of the channel the application was told, and what it is told next.
///
/// Everything that it changes with gives the callbacks that follow, in order, so that each beginning is told once and has
/// its end, whatever the core told or could not tell any more.
enum ChannelView: Equatable {
    /// The transmission and the audio session of a channel.
    struct Activity: Equatable {
        var isTransmitting = false
        var isActive = false
        var isInterrupted = false
        /// Who is to be heard because of a push, and is not yet.
        var awaited: PTParticipant?
        /// Buttons that are told to be held.
        var pressed: [Origin] = []
    }

    case notJoined
    /// The core has carried out `Join`, and tells of the channel next.
    case joining(ChannelID)
    /// The core gives the channel back, and tells of it next.
    ///
    /// - Parameters:
    ///   - token: Told right after it.
    ///   - isReported: Whether the application holds it for joined, because it was before the core was lost.
    case restoring(ChannelID, token: PushToken, isReported: Bool)
    case joined(ChannelID, Activity)
    /// Told as joined; the core is lost, and says what became of it when it is found again.
    case unattended(ChannelID)

    /// The channel that a push is for: it may wake the application before its channel is told as restored.
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
        // Whoever attaches anew has lost what was before.
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

    // MARK: What the core tells

    /// `Join` was carried out.
    mutating func granted(_ channelID: ChannelID) {
        guard case .notJoined = self else { return }
        self = .joining(channelID)
    }

    /// The channel comes from another attachment of the application that has gone.
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
            return []  // Somebody else's.
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

    mutating func transmissionBegan(_ source: TransmitSource) -> [Callback] {
        change { channelID, activity in
            guard !activity.isTransmitting else { return [] }
            activity.isTransmitting = true
            return [.began(channelID.uuid, PTChannelTransmitRequestSource(source))]
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
            activity.awaited = nil
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

    mutating func audioInterrupted() -> [Callback] {
        change { _, activity in
            guard !activity.isInterrupted else { return [] }
            activity.isInterrupted = true
            return [.interruption(began: true)]
        }
    }

    mutating func audioInterruptionEnded() -> [Callback] {
        change { _, activity in activity.endInterruption() }
    }

    /// A push was answered with somebody who will be heard, if the speaker can be opened.
    mutating func awaits(_ participant: PTParticipant) {
        _ = change { _, activity in
            if !activity.isActive { activity.awaited = participant }
            return []
        }
    }

    /// The application itself has set another participant, or none, and is told what came of that.
    mutating func awaitsNoParticipant() {
        _ = change { _, activity in
            activity.awaited = nil
            return []
        }
    }

    /// Nobody is left who could be heard again.
    mutating func participantCleared() -> [Callback] {
        change { channelID, activity in
            let unheard = activity.awaited.map {
                Callback.failedToActivate(channelID.uuid, $0, PTChannelError(.unheard))
            }
            activity.awaited = nil
            return (unheard.map { [$0] } ?? []) + (activity.isActive ? [] : activity.endInterruption())
        }
    }

    mutating func accessoryPressed(_ origin: Origin) -> [Callback] {
        change { channelID, activity in
            guard !activity.pressed.contains(origin) else { return [] }
            activity.pressed.append(origin)
            return [.pressed(channelID.uuid, PTTAccessory(origin))]
        }
    }

    mutating func accessoryReleased(_ origin: Origin) -> [Callback] {
        change { channelID, activity in
            guard let index = activity.pressed.firstIndex(of: origin) else { return [] }
            activity.pressed.remove(at: index)
            return [.released(channelID.uuid, PTTAccessory(origin))]
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

    /// Before a channel is told as joined, nothing is told of it.
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
        guard isInterrupted else { return [] }
        isInterrupted = false
        return [.interruption(began: false)]
    }

    /// What ends with the channel, or with the core.
    fileprivate func ending(of channelID: ChannelID) -> [Callback] {
        var callbacks: [Callback] = []
        if isTransmitting { callbacks.append(.ended(channelID.uuid, .unknown)) }
        if isActive { callbacks.append(.deactivated) }
        if isInterrupted { callbacks.append(.interruption(began: false)) }
        return callbacks + pressed.map { .released(channelID.uuid, PTTAccessory($0)) }
    }
}

extension Refusal {
    static let lost = Refusal(.unknown, "the connection to pttd was lost")
    static let unheard = Refusal(.unknown, "nothing can be played; the journal of pttd says why")
    static let leftAgain = Refusal(.unknown, "the channel was left before it was told as joined")
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

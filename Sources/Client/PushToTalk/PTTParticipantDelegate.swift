public import Foundation

/// Linux: told of a participant that was the result of a push and is not heard, of which Apple's framework tells nothing.
///
/// A delegate of the manager that conforms to this takes the participant back from what it shows. A result that leaves the
/// channel and comes to nothing is told by `failedToLeaveChannel`.
public protocol PTTParticipantDelegate: NSObjectProtocol {
    /// - Parameters:
    ///   - channelManager: Who tells.
    ///   - channelUUID: The channel of the push.
    ///   - participant: The result of `incomingPushResult`.
    ///   - error: A ``PTChannelError``: `transmissionInProgress` if a half-duplex channel transmits, `unknown` if the result
    ///     came too late, or nothing can be played.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttFailedToActivate participant: PTParticipant,
        error: any Error
    )
}

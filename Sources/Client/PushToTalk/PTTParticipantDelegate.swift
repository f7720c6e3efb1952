public import Foundation

/// Linux: is notified if the remote participant from a push cannot be heard. Apple's framework has no such
/// method.
///
/// The manager calls this method if its delegate conforms to this protocol, so that the application no longer
/// shows the participant as talking. `failedToLeaveChannel` reports a push result that could not leave the
/// channel.
public protocol PTTParticipantDelegate: NSObjectProtocol {
    /// - Parameters:
    ///   - channelManager: The manager.
    ///   - channelUUID: The channel of the push.
    ///   - participant: The participant that `incomingPushResult` returned.
    ///   - error: A ``PTChannelError``: `transmissionInProgress` if a half-duplex channel transmits,
    ///     `callActive` or `channelNotFound` if a call or the end of the channel came before the speaker was
    ///     open, `unknown` if the result came too late or nothing can be played.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttFailedToActivate participant: PTParticipant,
        error: any Error
    )
}

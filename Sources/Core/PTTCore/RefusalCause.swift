package import PTTMessages

/// Why the core does not do what it was asked to do.
package enum RefusalCause: Error, Equatable, Sendable {
    // The machine
    case suspending
    case shuttingDown
    /// Another session is active at the seat.
    case sessionInactive
    case sessionUnknown
    case sessionLocked
    case lockUnknown
    case noAudioServer
    case callActive(ActiveCall)

    // The policy
    case forbidden(ApplicationID)
    case closed
    /// A policy that cannot be read may forbid anything.
    case unusablePolicy(reason: String)

    // The channel
    case notJoined
    case noRecorder
    case notYours(Channel)
    case otherChannel(ChannelID, joined: Channel)
    /// - Parameter holder: The name of its application; nil if it has none.
    case channelLimit(Channel, holder: String?)
    case channelLeft

    // Its application
    case attachedAlready
    case notAttached
    case notInForeground(Owner?)
    case absent(Owner?)
    case notReady(ServiceStatus, Owner?)
    case noAudioConnection(Owner?)
    case applicationGone
    case noSuchPush(PushID)
    case noParticipant
    case wrongResult

    // Transmissions
    case noTransmission
    case holdsTransmission
    case inProgress(Transmission)
    case notHeld(by: Origin, ButtonRole?, Transmission)
    case timedOut(Origin)
    case listenOnly
    case remoteSpeaks(String)

    // Buttons
    case accessoriesOff
    case receivesNoButtons
    case doesNotTransmit(ButtonRole)
    case transmits(ButtonRole)

    // Receptions
    case noRemoteParticipant
    case participantCleared
    case talkedOver(Transmission)
    case speakerUnavailable(reason: String)
    case tooManyWaiting

    // The request itself
    case unknownValue
    case volumeOutOfRange
    case emptyName
    case longName
}

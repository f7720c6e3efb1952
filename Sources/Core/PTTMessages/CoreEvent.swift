/// Something that happened in the core. Subscribers get these in order.
package enum CoreEvent: Equatable, Sendable {
    case channelJoined(Channel, JoinReason)
    case descriptorChanged(name: String, image: ImageSummary?)
    /// The channel's application is wanted and was told to start.
    case applicationStarting
    /// The application is not there, or no longer; the channel stays joined.
    case applicationDetached
    /// - Parameter explanation: What people should know about it, if anything.
    case channelLeft(LeaveReason, explanation: String?)
    case serviceStatusChanged(ServiceStatus)
    case transmissionModeChanged(TransmissionMode)
    case accessoryEventsChanged(isEnabled: Bool)
    /// Somebody else talks at the other end now, or nobody does.
    case participantChanged(Participant?)
    case transmissionBegan(Transmission)
    /// - Parameter by: Who ended it; `unknown` if nobody asked for the end.
    case transmissionEnded(Transmission, EndCause, by: TransmitSource)
    case transmissionRefused(Origin, Refusal)
    /// The time-out timer will end the transmission in so many seconds.
    case timeLimitNear(secondsLeft: Int)
    case audioActivating
    /// The first captured buffer has arrived, or the speaker is open.
    case audioActivated
    case audioDeactivated
    /// The audio session ends although somebody still wants it. Told before its end.
    case audioInterrupted(Interruption)
    /// What interrupted the audio session is over.
    case audioInterruptionEnded
    /// The microphone or the speaker in use, by the audio server's name: told when it is opened for the first time, and
    /// when it is another than before. Nil for the one that has not changed.
    case routeChanged(input: String?, output: String?)
    case audioServerReady
    case audioServerLost
    /// - Parameter explanation: What people should know about it, if anything.
    case pushFinished(PushID, PushOutcome, explanation: String?)

    /// What the core must remember is on disk again.
    case stateSaved
    /// What the core must remember could not be written: after a reboot it would find an earlier state.
    ///
    /// - Parameter reason: What failed, on what.
    case stateNotSaved(reason: String)

    // Only the application is told of these.

    /// The attachment that held the application's channel has gone, and this one has it now, with the token for its
    /// pushes. It is told of as joined right after this.
    case channelRestored(ApplicationInterface.Restored, PushToken)
    case pushReceived(Push)
    /// A call of the application was carried out, or refused. Stands where it belongs among the other events. Without a
    /// number: a call that had none.
    case requestAnswered(CallID?, Refusal?)
    /// An answer to a push asked for the end of a transmission, and there was nothing to end.
    case endRefused(Refusal)
    /// A button that the application handles by itself was pressed.
    case accessoryPressed(Origin)
    /// A button of which ``accessoryPressed(_:)`` told was let go, or can no longer tell.
    case accessoryReleased(Origin)

    /// From a newer core.
    case unknown(String)
}

extension CoreEvent {
    /// The word for the kind of event, as it stands on the socket.
    package var kind: String {
        switch self {
        case .channelJoined: "channelJoined"
        case .descriptorChanged: "descriptorChanged"
        case .applicationStarting: "applicationStarting"
        case .applicationDetached: "applicationDetached"
        case .channelLeft: "channelLeft"
        case .serviceStatusChanged: "serviceStatusChanged"
        case .transmissionModeChanged: "transmissionModeChanged"
        case .accessoryEventsChanged: "accessoryEventsChanged"
        case .participantChanged: "participantChanged"
        case .transmissionBegan: "transmissionBegan"
        case .transmissionEnded: "transmissionEnded"
        case .transmissionRefused: "transmissionRefused"
        case .timeLimitNear: "timeLimitNear"
        case .audioActivating: "audioActivating"
        case .audioActivated: "audioActivated"
        case .audioDeactivated: "audioDeactivated"
        case .audioInterrupted: "audioInterrupted"
        case .audioInterruptionEnded: "audioInterruptionEnded"
        case .routeChanged: "routeChanged"
        case .audioServerReady: "audioServerReady"
        case .audioServerLost: "audioServerLost"
        case .pushFinished: "pushFinished"
        case .stateSaved: "stateSaved"
        case .stateNotSaved: "stateNotSaved"
        case .channelRestored: "channelRestored"
        case .pushReceived: "pushReceived"
        case .requestAnswered: "requestAnswered"
        case .endRefused: "endRefused"
        case .accessoryPressed: "accessoryPressed"
        case .accessoryReleased: "accessoryReleased"
        case .unknown(let kind): kind
        }
    }
}

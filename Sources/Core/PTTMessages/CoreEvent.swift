/// An event of the core, which subscribers receive in order.
package enum CoreEvent: Equatable, Sendable {
    case channelJoined(Channel, JoinReason)
    case descriptorChanged(name: String, image: ImageSummary?)
    /// The core is starting the channel's application.
    case applicationStarting
    /// The application is not running, or no longer attached; the channel stays joined.
    case applicationDetached
    /// - Parameter explanation: What people should know about it, if anything.
    case channelLeft(LeaveReason, explanation: String?)
    case serviceStatusChanged(ServiceStatus)
    case transmissionModeChanged(TransmissionMode)
    case accessoryEventsChanged(isEnabled: Bool)
    /// Another participant talks at the other end now, or none.
    case participantChanged(Participant?)
    case transmissionBegan(Transmission)
    /// - Parameter by: What asked for the end; `unknown` if the core ended the transmission itself.
    case transmissionEnded(Transmission, EndCause, by: TransmitSource)
    case transmissionRefused(Origin, Refusal)
    /// The time-out timer will end the transmission in so many seconds.
    case timeLimitNear(secondsLeft: Int)
    case audioActivating
    /// The first captured buffer has arrived, or the speaker is open.
    case audioActivated
    case audioDeactivated
    /// The audio session is about to end while it is in use; ``audioDeactivated`` follows.
    case audioInterrupted(Interruption)
    /// The cause of the interruption is over.
    case audioInterruptionEnded
    /// The microphone or the speaker in use, by its name at the audio server: when it is first opened and when another
    /// takes its place. Nil for the one that has not changed.
    case routeChanged(input: String?, output: String?)
    case audioServerReady
    case audioServerLost
    /// - Parameter explanation: What people should know about it, if anything.
    case pushFinished(PushID, PushOutcome, explanation: String?)

    /// The state of the core is on disk again.
    case stateSaved
    /// The state of the core could not be written to disk: a reboot would find an earlier one.
    ///
    /// - Parameter reason: Which operation failed, on which file.
    case stateNotSaved(reason: String)
    case virtualMicrophoneChanged(VirtualMicrophone)
    /// A call began, another took its place or, with nil, there is none any more.
    case callChanged(ActiveCall?)
    /// The names of the other applications that record from a real microphone.
    case recordersChanged([String])
    /// The microphone of the running transmission, or of the last one, or its state in the audio server.
    case microphoneChanged(MicrophoneState?)
    /// How loud the other end is heard, in percent.
    case volumeChanged(Int)

    // Only the application receives these.

    /// The attachment that held the application's channel has ended, and this one holds it now, with a token for its
    /// pushes; ``channelJoined(_:_:)`` follows.
    case channelRestored(ApplicationInterface.Restored, PushToken)
    case pushReceived(Push)
    /// A call of the application was carried out or, with a refusal, not. It has its place among the other events, and
    /// no number if the call had none.
    case requestAnswered(CallID?, Refusal?)
    /// The answer to a push asked for the end of a transmission, and there was none.
    case endRefused(Refusal)
    /// A button that would begin a transmission, and that the application handles itself, was pressed.
    case accessoryPressed(Origin, ButtonRole)
    /// A button after ``accessoryPressed(_:_:)`` was released, or its link was lost.
    case accessoryReleased(Origin, ButtonRole)
    /// A button that does not transmit was pressed. An event of its own: an application that knows no roles would take
    /// ``accessoryPressed(_:_:)`` for a wish to talk.
    case buttonPressed(Origin, ButtonRole)
    /// A button after ``buttonPressed(_:_:)`` was released, or its link was lost.
    case buttonReleased(Origin, ButtonRole)

    /// An event of a newer core.
    case unknown(String)
}

extension CoreEvent {
    /// The name of the kind of event on the socket.
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
        case .virtualMicrophoneChanged: "virtualMicrophoneChanged"
        case .callChanged: "callChanged"
        case .recordersChanged: "recordersChanged"
        case .microphoneChanged: "microphoneChanged"
        case .volumeChanged: "volumeChanged"
        case .channelRestored: "channelRestored"
        case .pushReceived: "pushReceived"
        case .requestAnswered: "requestAnswered"
        case .endRefused: "endRefused"
        case .accessoryPressed: "accessoryPressed"
        case .accessoryReleased: "accessoryReleased"
        case .buttonPressed: "buttonPressed"
        case .buttonReleased: "buttonReleased"
        case .unknown(let kind): kind
        }
    }
}

extension CoreEvent {
    /// The members that events have in both interfaces; a member is there if it belongs to the kind of event.
    static let commonMembers = """
        kind: string, channel: ?Channel, joinReason: ?JoinReason, leaveReason: ?LeaveReason, explanation: ?string,
          name: ?string, image: ?Image, serviceStatus: ?ServiceStatus, transmissionMode: ?TransmissionMode,
          isEnabled: ?bool, participant: ?Participant, transmission: ?Transmission, cause: ?EndCause, endedBy: ?Source,
          origin: ?Origin, refusal: ?RefusalReason, secondsLeft: ?int, interruption: ?Interruption, input: ?string,
          output: ?string, virtualMicrophone: ?VirtualMicrophone, call: ?ActiveCall, recorders: ?[]string,
          microphone: ?MicrophoneState, volume: ?int
        """
}

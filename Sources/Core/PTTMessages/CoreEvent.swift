/// An event of the core, which subscribers receive in order.
///
/// The names of the cases and of their values are those on the sockets, see ``Tagged``.
package enum CoreEvent: Equatable, Codable, Sendable {
    case channelJoined(channel: Channel, joinReason: JoinReason)
    case descriptorChanged(name: String, image: ImageSummary?)
    /// The core is starting the channel's application.
    case applicationStarting
    /// The application is not running, or no longer attached; the channel stays joined.
    case applicationDetached
    /// - Parameter explanation: A text for people; nil if there is no more to say.
    case channelLeft(leaveReason: LeaveReason, explanation: String?)
    case serviceStatusChanged(serviceStatus: ServiceStatus)
    case transmissionModeChanged(transmissionMode: TransmissionMode)
    case accessoryEventsChanged(isEnabled: Bool)
    /// Another participant talks at the other end now, or none.
    case participantChanged(participant: Participant?)
    case transmissionBegan(transmission: Transmission)
    /// A tap keeps the transmission on until the next press of its button.
    case transmissionLatched(transmission: Transmission)
    /// - Parameter endedBy: The source that asked for the end; `unknown` if the core itself ended it.
    case transmissionEnded(transmission: Transmission, cause: EndCause, endedBy: TransmitSource)
    case transmissionRefused(origin: Origin, refusal: Refusal)
    /// The time-out timer will end the transmission in so many seconds.
    case timeLimitNear(secondsLeft: Int)
    case audioActivating
    /// The first captured buffer has arrived, or the speaker is open.
    case audioActivated
    case audioDeactivated
    /// The audio session is about to end while it is in use; ``audioDeactivated`` follows.
    case audioInterrupted(interruption: Interruption)
    /// The cause of the interruption is over.
    case audioInterruptionEnded
    /// The microphone or the speaker in use, by its name at the audio server: when it is first opened and
    /// when another takes its place. Nil for the one that has not changed.
    case routeChanged(input: String?, output: String?)
    case audioServerReady
    case audioServerLost
    /// - Parameter explanation: A text for people; nil if there is no more to say.
    case pushFinished(pushID: PushID, outcome: PushOutcome, explanation: String?)

    /// The state of the core is on disk again.
    case stateSaved
    /// The state of the core could not be written to disk: a reboot would find an earlier one.
    ///
    /// - Parameter explanation: Which operation failed, on which file.
    case stateNotSaved(explanation: String)
    case virtualMicrophoneChanged(virtualMicrophone: VirtualMicrophone)
    /// A call began, another took its place or, with nil, there is none any more.
    case callChanged(call: ActiveCall?)
    /// The names of the other applications that record from a real microphone.
    case recordersChanged(recorders: [String])
    /// The microphone of the running transmission, or of the last one, or its state in the audio server.
    case microphoneChanged(microphone: MicrophoneState?)
    /// The volume at which the other end is heard, in percent.
    case volumeChanged(volume: Int)

    // Only the application receives these.

    /// The attachment that held the application's channel has ended, or the saved channel was read late; this
    /// one holds it now, with a token for its pushes; ``channelJoined(channel:joinReason:)`` follows.
    case channelRestored(restored: ApplicationInterface.Restored, pushToken: PushToken)
    case pushReceived(push: Push)
    /// A call of the application was carried out or, with a refusal, not. It has its place among the other
    /// events, and no number if the call had none.
    case requestAnswered(callID: CallID?, refusal: Refusal?)
    /// The answer to a push asked for the end of a transmission, and there was none.
    case endRefused(refusal: Refusal)
    /// A button that would begin a transmission, and that the application handles itself, was pressed.
    case accessoryPressed(origin: Origin, role: ButtonRole)
    /// A button after ``accessoryPressed(origin:role:)`` was released, or its link was lost.
    case accessoryReleased(origin: Origin, role: ButtonRole)
    /// A button that does not transmit was pressed. An event of its own: an application that knows no roles
    /// would take ``accessoryPressed(origin:role:)`` for a wish to talk.
    case buttonPressed(origin: Origin, role: ButtonRole)
    /// A button after ``buttonPressed(origin:role:)`` was released, or its link was lost.
    case buttonReleased(origin: Origin, role: ButtonRole)

    /// An event of a newer core.
    case unknown(kind: String)
}

extension CoreEvent {
    /// True for the beginning and the end of a recording, which is no matter of the channel and its
    /// application.
    package var isOfRecording: Bool {
        if case .transmissionBegan(let begun) = self { return begun.recording != nil }
        if case .transmissionLatched(let latched) = self { return latched.recording != nil }
        if case .transmissionEnded(let ended, _, _) = self { return ended.recording != nil }
        return false
    }

    /// The name of the case.
    package var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}

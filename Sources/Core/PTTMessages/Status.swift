/// The whole state of the core as its clients see it. A subscriber receives it once and then updates it with
/// ``apply(_:)``.
package struct Status: Equatable, Codable, Sendable {
    package var channel: Channel?
    package var transmission: Transmission?
    package var audio: AudioState
    /// Whether an audio server is connected. Without one no transmission can begin.
    package var isAudioServerReady: Bool
    /// The longest transmission, in seconds.
    package var timeLimit: Int
    /// Why the state could not be written to disk, so that a reboot would find an earlier one; nil if it was written.
    package var saveFailure: String?

    package init(
        channel: Channel? = nil,
        transmission: Transmission? = nil,
        audio: AudioState = .inactive,
        isAudioServerReady: Bool = false,
        timeLimit: Int,
        saveFailure: String? = nil
    ) {
        self.channel = channel
        self.transmission = transmission
        self.audio = audio
        self.isAudioServerReady = isAudioServerReady
        self.timeLimit = timeLimit
        self.saveFailure = saveFailure
    }

    static let declaration = """
        # timeLimit: the longest transmission, in seconds. saveFailure: why the state could not be written to disk, so
        # that a reboot would find an earlier one.
        type Status (channel: ?Channel, transmission: ?Transmission, audio: AudioState, isAudioServerReady: bool,
          timeLimit: int, saveFailure: ?string)
        """
}

extension Status {
    /// Applies one event. The events of a subscription, applied in order to the status that it began with, give the
    /// status that the core would reply with at that moment.
    package mutating func apply(_ event: CoreEvent) {
        switch event {
        case .channelJoined(let joined, _): channel = joined
        case .descriptorChanged(let name, let image):
            channel?.name = name
            channel?.image = image
        case .applicationStarting: channel?.isApplicationStarting = true
        case .applicationDetached:
            channel?.application = nil
            channel?.isApplicationStarting = false
            channel?.serviceStatus = .ready
        case .channelLeft: channel = nil
        case .serviceStatusChanged(let status): channel?.serviceStatus = status
        case .transmissionModeChanged(let mode): channel?.transmissionMode = mode
        case .accessoryEventsChanged(let isEnabled): channel?.areAccessoryEventsEnabled = isEnabled
        case .participantChanged(let participant): channel?.participant = participant
        case .transmissionBegan(let began): transmission = began
        case .transmissionEnded: transmission = nil
        case .audioActivating: audio = .activating
        case .audioActivated: audio = .active
        case .audioDeactivated: audio = .inactive
        case .audioServerReady: isAudioServerReady = true
        case .audioServerLost: isAudioServerReady = false
        case .stateSaved: saveFailure = nil
        case .stateNotSaved(let reason): saveFailure = reason
        case .transmissionRefused, .timeLimitNear, .audioInterrupted, .audioInterruptionEnded, .routeChanged,
            .channelRestored, .pushReceived, .pushFinished, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased, .unknown:
            break
        }
    }
}

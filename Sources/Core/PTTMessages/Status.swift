/// The whole state of the core as its clients see it. A subscriber receives it once and then updates it with
/// ``apply(_:)``.
package struct Status: Equatable, Codable, Sendable {
    package var channel: Channel?
    package var transmission: Transmission?
    package var audio: AudioState
    /// True if an audio server is connected, and all that reports calls has answered or failed to. Otherwise
    /// no transmission can begin.
    package var isAudioServerReady: Bool
    /// The longest transmission, in seconds.
    package var timeLimit: Int
    /// Why the state could not be written to disk, so that a reboot would find an earlier one; nil if it was
    /// written.
    package var saveFailure: String?
    package var virtualMicrophone: VirtualMicrophone
    package var call: ActiveCall?
    /// The names of the other applications that record from a real microphone. Information only.
    package var recorders: [String]
    /// The microphone of the running transmission, or of the last one.
    package var microphone: MicrophoneState?
    /// The volume at which the other end is heard, in percent.
    package var volume: Int

    package static let defaultVolume = 100

    package init(
        channel: Channel? = nil,
        transmission: Transmission? = nil,
        audio: AudioState = .inactive,
        isAudioServerReady: Bool = false,
        timeLimit: Int,
        saveFailure: String? = nil,
        virtualMicrophone: VirtualMicrophone = .off,
        call: ActiveCall? = nil,
        recorders: [String] = [],
        microphone: MicrophoneState? = nil,
        volume: Int = defaultVolume
    ) {
        self.channel = channel
        self.transmission = transmission
        self.audio = audio
        self.isAudioServerReady = isAudioServerReady
        self.timeLimit = timeLimit
        self.saveFailure = saveFailure
        self.virtualMicrophone = virtualMicrophone
        self.call = call
        self.recorders = recorders
        self.microphone = microphone
        self.volume = volume
    }
}

extension Status {
    /// True if the press of an accessory begins a transmission, unless a rule refuses it: in the channel, if
    /// its application wants such presses, or without a channel in the Push-to-Talk Microphone, while it is
    /// recorded.
    package var acceptsAccessoryPresses: Bool {
        if let channel { return channel.areAccessoryEventsEnabled }
        return if case .recorded = virtualMicrophone { true } else { false }
    }

    /// Applies one event. The events of a subscription, applied in order to the status that it began with,
    /// give the status that the core would reply with at that moment.
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
        case .transmissionBegan(let changed), .transmissionLatched(let changed): transmission = changed
        case .transmissionEnded: transmission = nil
        case .audioActivating: audio = .activating
        case .audioActivated: audio = .active
        case .audioDeactivated: audio = .inactive
        case .audioServerReady: isAudioServerReady = true
        case .audioServerLost: isAudioServerReady = false
        case .stateSaved: saveFailure = nil
        case .stateNotSaved(let explanation): saveFailure = explanation
        case .virtualMicrophoneChanged(let changed): virtualMicrophone = changed
        case .callChanged(let changed): call = changed
        case .recordersChanged(let changed): recorders = changed
        case .microphoneChanged(let changed): microphone = changed
        case .volumeChanged(let changed): volume = changed
        case .transmissionRefused, .timeLimitNear, .audioInterrupted, .audioInterruptionEnded, .routeChanged,
            .channelRestored, .pushReceived, .pushFinished, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased, .unknown:
            break
        }
    }
}

/// The members that earlier versions do not have may be left out.
extension Status {
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        channel = try fields.decodeIfPresent(Channel.self, forKey: .channel)
        transmission = try fields.decodeIfPresent(Transmission.self, forKey: .transmission)
        audio = try fields.decode(AudioState.self, forKey: .audio)
        isAudioServerReady = try fields.decode(Bool.self, forKey: .isAudioServerReady)
        timeLimit = try fields.decode(Int.self, forKey: .timeLimit)
        saveFailure = try fields.decodeIfPresent(String.self, forKey: .saveFailure)
        virtualMicrophone =
            try fields.decodeIfPresent(VirtualMicrophone.self, forKey: .virtualMicrophone) ?? .off
        call = try fields.decodeIfPresent(ActiveCall.self, forKey: .call)
        recorders = try fields.decodeIfPresent([String].self, forKey: .recorders) ?? []
        microphone = try fields.decodeIfPresent(MicrophoneState.self, forKey: .microphone)
        volume = try fields.decodeIfPresent(Int.self, forKey: .volume) ?? Self.defaultVolume
    }
}

import PTTMessages

// While no channel is joined, presses talk into the Push-to-Talk Microphone.
extension TalkSession {
    /// False while the streams that are open are those of the Push-to-Talk Microphone.
    package var isChannelJoined: Bool { channel != nil }

    /// The mode that the channel's application has set, and half duplex without a channel.
    var transmissionMode: TransmissionMode { channel?.transmissionMode ?? .halfDuplex }

    mutating func virtualMicrophoneChanged(
        _ virtualMicrophone: VirtualMicrophone,
        effects: inout EffectCollector
    ) {
        guard virtualMicrophone != surroundings.virtualMicrophone else { return }
        surroundings.virtualMicrophone = virtualMicrophone
        yieldTransmission(effects: &effects)
        effects.publish(.virtualMicrophoneChanged(virtualMicrophone: virtualMicrophone))
    }

    /// A channel that is joined takes the buttons, and with them the microphone.
    mutating func leaveVirtualMicrophone(effects: inout EffectCollector) {
        guard channel == nil else { return }
        endTransmission(.channelLeft, effects: &effects)
        endAudio(effects: &effects)
        audio = AudioSession()
    }
}

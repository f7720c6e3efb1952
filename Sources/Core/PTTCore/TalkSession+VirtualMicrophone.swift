import PTTMessages

// While no channel is joined, presses talk into the Push-to-Talk Microphone.
extension TalkSession {
    /// True if what is captured goes to the Push-to-Talk Microphone.
    package var feedsVirtualMicrophone: Bool { channel == nil && channelLease != nil }

    /// The mode that the channel's application has set, and half duplex without a channel.
    var transmissionMode: TransmissionMode { channel?.transmissionMode ?? .halfDuplex }

    mutating func virtualMicrophoneChanged(_ virtualMicrophone: VirtualMicrophone) {
        guard virtualMicrophone != surroundings.virtualMicrophone else { return }
        surroundings.virtualMicrophone = virtualMicrophone
        yieldTransmission()
        effects.publish(.virtualMicrophoneChanged(virtualMicrophone: virtualMicrophone))
    }
}

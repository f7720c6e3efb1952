import PTTMessages

// The channel of last resort: while no channel is joined, presses talk into the virtual microphone. It has no owner, and is
// neither published nor saved.
extension TalkSession {
    /// False while the streams that are open belong to the channel of last resort.
    package var isChannelJoined: Bool {
        switch state {
        case .joined: true
        case .notJoined: false
        }
    }

    /// The channel whose streams may be open: the joined one, otherwise that of last resort.
    var openChannel: JoinedChannel { channel ?? lastResort }

    /// The channel that a press talks into, or whose transmission a release ends. An application that is attached talks
    /// into its own channel only.
    func openChannel(_ channelID: ChannelID?, for client: ClientID) -> Result<JoinedChannel, Refusal> {
        if case .notJoined = state, channelID == nil, attachments[client] == nil {
            return .success(lastResort)
        }
        return channel(channelID, for: client)
    }

    mutating func virtualMicrophoneChanged(
        _ virtualMicrophone: VirtualMicrophone,
        effects: inout EffectCollector
    ) {
        guard virtualMicrophone != self.virtualMicrophone else { return }
        self.virtualMicrophone = virtualMicrophone
        yieldTransmission(effects: &effects)
        effects.publish(.virtualMicrophoneChanged(virtualMicrophone))
    }

    /// A joined channel takes the buttons, and with them the microphone.
    mutating func endLastResort(effects: inout EffectCollector) {
        guard case .notJoined = state else { return }
        endTransmission(.channelLeft, effects: &effects)
        endAudio(effects: &effects)
        lastResort = .lastResort
    }
}

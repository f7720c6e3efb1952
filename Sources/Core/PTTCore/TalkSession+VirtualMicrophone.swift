import PTTMessages

extension TalkSession {
    mutating func virtualMicrophoneChanged(
        _ virtualMicrophone: VirtualMicrophone,
        effects: inout EffectCollector
    ) {
        guard virtualMicrophone != self.virtualMicrophone else { return }
        self.virtualMicrophone = virtualMicrophone
        effects.publish(.virtualMicrophoneChanged(virtualMicrophone))
    }
}

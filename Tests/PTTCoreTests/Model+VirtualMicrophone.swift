import PTTCore
import PTTMessages

/// The channel of last resort. It is joined by no application, and any channel that is joined takes its
/// place.
extension Model {
    /// The one transmission, of the joined channel or of that of last resort.
    var transmission: ActiveTransmission? {
        get { channel == nil ? lastResort : channel?.transmission }
        set { if channel == nil { lastResort = newValue } else { channel?.transmission = newValue } }
    }

    /// Whether the microphone is open.
    var isSending: Bool { channel?.isSending ?? (lastResort != nil) }

    mutating func virtualMicrophoneChanged(_ changed: VirtualMicrophone) {
        if changed == virtualMicrophone { return }
        virtualMicrophone = changed
        // No microphone is open for nobody.
        if channel == nil, changed.state != .recorded { endTransmission(.recorderGone) }
        notifications.append(.kind("virtualMicrophoneChanged"))
    }

    mutating func endLastResort() {
        endTransmission(.channelLeft)
        isInterruptedByCall = false
        updateAudio()
    }
}

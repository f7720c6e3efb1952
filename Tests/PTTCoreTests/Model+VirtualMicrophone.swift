import PTTCore
import PTTMessages

/// The channel of last resort. It is joined by no application, and any channel that is joined takes its
/// place.
extension Model {
    /// The transmission of the joined channel, or of that of last resort.
    var heardTransmission: ActiveTransmission? {
        get { channel == nil ? lastResort : channel?.transmission }
        set { if channel == nil { lastResort = newValue } else { channel?.transmission = newValue } }
    }

    /// True if the microphone is open for the channel, or for that of last resort.
    var isHeardSending: Bool { channel?.isSending ?? (lastResort != nil) }

    mutating func virtualMicrophoneChanged(_ changed: VirtualMicrophone) {
        if changed == virtualMicrophone { return }
        virtualMicrophone = changed
        // No microphone is open for nobody.
        if channel == nil, changed.state != .recorded { endHeard(.recorderGone) }
        notifications.append(.kind("virtualMicrophoneChanged"))
    }

    mutating func endLastResort() {
        endHeard(.channelLeft)
        isInterruptedByCall = false
        updateAudio()
    }
}

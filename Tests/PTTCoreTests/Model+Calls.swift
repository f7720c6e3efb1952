import PTTCore
import PTTMessages

/// Semantics, “A call refuses a begin”, “A call while transmitting”, “A call while receiving”: calls win, and
/// nothing resumes by itself.
extension Model {
    mutating func callChanged(_ changed: ActiveCall?) {
        if changed == call { return }
        let isNew = call == nil
        call = changed
        notifications.append(.kind("callChanged"))
        if changed == nil {
            if audio == .interrupted { audioNotifications.append(.kind("audioInterruptionEnded")) }
            if audio == .interrupted { audio = .inactive }
            isInterruptedByCall = false
        } else if isNew {
            beginCall()
        }
    }

    private mutating func beginCall() {
        if transmission == nil || forbidsCall(transmission?.isEmergency == true ? .emergency : .talk) {
            if audio == .activating || audio == .active {
                audioNotifications.append(.interrupted(.call))
                isInterruptedByCall = true
            }
            endTransmission(.callActive)
        }
        switch channel?.remote?.reception {
        case .opening: endReception("callActive")
        case .playing, .interrupted: channel?.remote?.reception = .unheard
        case .unheard, nil: break
        }
    }

    /// Ours: an emergency is exempt if the person said so.
    func forbidsCall(_ role: ButtonRole?) -> Bool {
        call != nil && !(role == .emergency && emergencyDuringCalls)
    }

    // MARK: Volume and battery

    mutating func setVolume(_ percent: Int) -> String {
        guard percent >= 0, percent <= 150 else { return "volumeOutOfRange" }
        if percent != volume { notifications.append(.kind("volumeChanged")) }
        volume = percent
        return "done"
    }

    mutating func reportBattery() -> String {
        if isAudible { tones.append("batteryLow") }
        return "done"
    }
}

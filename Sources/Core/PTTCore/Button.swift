import PTTMessages

/// One button of an accessory: after a talk button that was held too long, the emergency button of the same
/// accessory begins a transmission, and one that itself was held too long does not.
struct Button: Equatable, Sendable {
    let origin: Origin
    let role: ButtonRole
}

extension Transmission {
    var button: Button { Button(origin: origin, role: role) }

    /// True if its origin is held down while it lasts, so that a release is due after the time limit. A
    /// program that begins a transmission holds nothing.
    var isHeld: Bool {
        switch source {
        case .developerRequest: return false
        case .unknown, .userRequest, .handsfreeButton: break
        }
        return switch origin.kind {
        case .application, .commandLine: false
        case .unknown, .bluetoothButton, .wiredHeadset, .bluetoothHeadset, .serialMicrophone, .inputDevice:
            true
        }
    }
}

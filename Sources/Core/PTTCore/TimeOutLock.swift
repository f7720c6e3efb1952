import PTTMessages

/// The buttons that ran into the time limit and have not been released since.
///
/// A button is one role of an origin: after a talk button that was held too long, the emergency button of the
/// same accessory begins a transmission, and one that itself was held too long does not.
///
/// Without this a stuck button would begin a transmission again and again:
/// https://github.com/ramdor/Thetis/issues/518
struct TimeOutLock: Equatable, Sendable {
    /// Far more than one person's buttons; beyond it the oldest is unlocked.
    static let limit = 64

    private struct Button: Equatable, Sendable {
        let origin: Origin
        let role: ButtonRole
    }

    private var buttons = BoundedSet<Button>(limit: limit)

    mutating func lock(_ origin: Origin, _ role: ButtonRole) {
        buttons.insert(Button(origin: origin, role: role))
    }

    /// - Parameters:
    ///   - origin: What was released.
    ///   - role: The only one of its buttons; nil for all.
    mutating func unlock(_ origin: Origin, _ role: ButtonRole?) {
        buttons.remove { $0.origin == origin && $0.role == role ?? $0.role }
    }

    func isLocked(_ origin: Origin, _ role: ButtonRole) -> Bool {
        buttons.contains(Button(origin: origin, role: role))
    }
}

extension Transmission {
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

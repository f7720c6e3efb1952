import PTTMessages

/// The origins that ran into the time limit and have not been released since.
///
/// Without this a stuck button would begin a transmission again and again: https://github.com/ramdor/Thetis/issues/518
struct TimeOutLock: Equatable, Sendable {
    /// Far more than one person's buttons; beyond it the oldest is unlocked.
    static let limit = 64

    private var origins = BoundedSet<Origin>(limit: limit)

    mutating func lock(_ origin: Origin) {
        origins.insert(origin)
    }

    mutating func unlock(_ origin: Origin) {
        origins.remove { $0 == origin }
    }

    func isLocked(_ origin: Origin) -> Bool {
        origins.contains(origin)
    }
}

extension Transmission {
    /// Whether its origin is held down while it lasts, so that a release is due after the time limit. A program that
    /// begins a transmission holds nothing.
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

extension EndCause {
    /// Whether the origin was released. A lost link says nothing about the button behind it, and stopping a transmission
    /// does not touch the button.
    var isRelease: Bool {
        switch self {
        case .released: true
        case .unknown, .stopped, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost,
            .channelLeft, .linkLost, .deviceRemoved, .audioServerLost, .microphoneLost, .noMicrophone,
            .suspended, .sessionLocked, .sessionInactive, .modeChanged, .applicationUnavailable,
            .shuttingDown:
            false
        }
    }
}

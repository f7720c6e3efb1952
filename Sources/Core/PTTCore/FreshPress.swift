import PTTMessages

/// The origins that ran into the time limit and were not let go since.
///
/// Without this a button that is stuck would begin again and again: https://github.com/ramdor/Thetis/issues/518
struct FreshPress: Equatable, Sendable {
    /// Many more than a person has buttons; the oldest is dropped beyond it.
    static let limit = 64

    private(set) var held = Newest<Origin>(limit: limit)

    mutating func require(_ origin: Origin) {
        held.insert(origin)
    }

    mutating func letGo(_ origin: Origin) {
        held.remove { $0 == origin }
    }

    func isRequired(of origin: Origin) -> Bool {
        held.contains(origin)
    }
}

extension Transmission {
    /// Whether its origin is held while it lasts, so that it owes a release after the time limit. A program that asks is
    /// held by nobody.
    var isHeld: Bool {
        switch source {
        case .developerRequest: return false
        case .unknown, .userRequest, .handsfreeButton: break
        }
        return switch origin.kind {
        case .application, .commandLine: false
        case .unknown, .bluetoothButton, .wiredHeadset: true
        }
    }
}

extension EndCause {
    /// Whether this tells that the origin was let go. A broken path tells nothing about the button behind it, and who
    /// stops a transmission does not touch the button.
    var isLetGo: Bool {
        switch self {
        case .released: true
        case .unknown, .stopped, .timeLimit, .connectionLost, .applicationGone, .audioConnectionLost,
            .channelLeft,
            .linkLost, .deviceRemoved,
            .audioServerLost, .microphoneLost, .noMicrophone, .suspended, .sessionLocked, .sessionInactive,
            .modeChanged,
            .applicationUnavailable,
            .shuttingDown:
            false
        }
    }
}

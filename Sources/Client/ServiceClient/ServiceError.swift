import EventLoop
package import PTTMessages

/// A request to a daemon that did not succeed, told for people.
package enum ServiceError: Error, Equatable, CustomStringConvertible {
    /// Nobody listens on the daemon's socket.
    case unreachable(RuntimeSocket, reason: String)
    /// The connection ended, or no answer came in time.
    case lost(RuntimeSocket, reason: String)
    /// The core refused, with a code of Apple's framework.
    case refused(Refusal)
    /// The core did not accept a push.
    case rejected(PushRejection)
    /// The daemon answered with another error.
    case failed(name: String, reason: String)

    /// Whether the daemon is not there, as opposed to saying no.
    package var isUnavailability: Bool {
        switch self {
        case .unreachable, .lost: true
        case .refused, .rejected, .failed: false
        }
    }

    package var description: String {
        switch self {
        case .unreachable(let socket, let reason):
            "\(socket.program) cannot be reached: \(reason). Start it with `systemctl --user start \(socket.unit)`"
        case .lost(let socket, let reason):
            "the connection to \(socket.program) was lost: \(reason)"
        case .refused(let refusal):
            "\(refusal.reason) (\(refusal.code.rawValue))"
        case .rejected(let rejection):
            "\(rejection.reason) (\(rejection.code.rawValue))"
        case .failed(_, let reason):
            reason
        }
    }
}

extension RuntimeSocket {
    var program: String {
        switch self {
        case .core, .audio: "pttd"
        case .accessory: "ptt-accessoryd"
        }
    }

    var unit: String {
        switch self {
        case .core, .audio: "pttd.socket"
        case .accessory: "ptt-accessoryd.socket"
        }
    }
}

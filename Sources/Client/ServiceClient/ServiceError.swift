import EventLoop
package import PTTMessages

/// Why a request to a daemon failed, with a description for people.
package enum ServiceError: Error, Equatable, CustomStringConvertible {
    /// No process listens on the daemon's socket.
    case unreachable(RuntimeSocket, reason: String)
    /// The connection ended, or no answer came in time.
    case lost(RuntimeSocket, reason: String)
    /// The core refused the request, with a code of Apple's framework.
    case refused(Refusal)
    /// The core rejected a push.
    case rejected(PushRejection)
    /// The daemon answered with another error.
    case failed(name: String, reason: String)

    /// The description, to be shown in the language of the person.
    package var text: Text {
        switch self {
        case .unreachable(let socket, let reason):
            Text(
                "\(socket.program) cannot be reached: \(reason). "
                    + "Start it with `systemctl --user start \(socket.unit)`"
            )
        case .lost(let socket, let reason):
            Text("the connection to \(socket.program) was lost: \(reason)")
        case .refused(let refusal):
            Text("\(refusal.text) (\(refusal.code.rawValue))")
        case .rejected(let rejection):
            Text("\(rejection.reason) (\(rejection.code.rawValue))")
        case .failed(_, let reason):
            Text(verbatim: reason)
        }
    }

    package var description: String { text.english }
}

extension RuntimeSocket {
    var program: String {
        switch self {
        case .core, .audio: "pttd"
        case .accessory: "ptt-accessoryd"
        case .actions: "ptt-actions"
        }
    }

    var unit: String { program + ".socket" }
}

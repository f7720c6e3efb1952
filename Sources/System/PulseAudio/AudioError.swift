import CPulse

/// A request that the audio server refused or could not carry out, described for people.
package struct AudioError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The attempted action; completes "could not …".
    package let action: String
    package let reason: String
    package let kind: Kind

    /// The failure, as a caller distinguishes it.
    package enum Kind: Sendable, Equatable {
        /// There is no connection to the server, or it has ended.
        case serverLost
        /// There is no such device, or none of the requested kind.
        case noDevice
        /// The device of a stream was removed, and the server has no other one for it.
        case deviceRemoved
        case other
    }

    package init(_ action: String, reason: String, kind: Kind = .other) {
        self.action = action
        self.reason = reason
        self.kind = kind
    }

    /// `code` is one of libpulse's `PA_ERR_` codes.
    init(_ action: String, code: Int32) {
        self.init(action, reason: Self.explanation(of: code), kind: Self.kind(of: code))
    }

    package var description: String { "could not \(action): \(reason)" }

    private static func kind(of code: Int32) -> Kind {
        switch pa_error_code_t(rawValue: UInt32(bitPattern: code)) {
        case PA_ERR_NOENTITY: .noDevice
        case PA_ERR_KILLED: .deviceRemoved
        case PA_ERR_CONNECTIONTERMINATED, PA_ERR_CONNECTIONREFUSED: .serverLost
        default: .other
        }
    }

    private static func explanation(of code: Int32) -> String {
        let text = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        switch pa_error_code_t(rawValue: UInt32(bitPattern: code)) {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_INVALIDSERVER:
            return "\(text) (is PipeWire or PulseAudio running for this user?)"
        case PA_ERR_ACCESS, PA_ERR_AUTHKEY:
            return "\(text) (does the audio server belong to this user?)"
        case PA_ERR_NOENTITY:
            return "\(text) (there is no such device; `pactl list short` lists the present ones)"
        case PA_ERR_KILLED:
            return "\(text) (the device was removed)"
        default:
            return text
        }
    }
}

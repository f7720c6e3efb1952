internal import CPulse

/// Something that the audio server refused or could not do, told for people.
public struct AudioError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried, as the end of "could not …".
    public let action: String
    public let reason: String

    public init(_ action: String, _ reason: String) {
        self.action = action
        self.reason = reason
    }

    /// `code` is one of libpulse's `PA_ERR_` codes.
    init(_ action: String, code: Int32) {
        self.init(action, Self.explanation(of: code))
    }

    public var description: String { "could not \(action): \(reason)" }

    private static func explanation(of code: Int32) -> String {
        let text = pa_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        switch pa_error_code_t(rawValue: UInt32(bitPattern: code)) {
        case PA_ERR_CONNECTIONREFUSED, PA_ERR_INVALIDSERVER:
            return "\(text) (is PipeWire or PulseAudio running for this user?)"
        case PA_ERR_ACCESS, PA_ERR_AUTHKEY:
            return "\(text) (does the audio server belong to this user?)"
        case PA_ERR_NOENTITY:
            return "\(text) (the device is not there; `pactl list short` shows those that are)"
        default:
            return text
        }
    }
}

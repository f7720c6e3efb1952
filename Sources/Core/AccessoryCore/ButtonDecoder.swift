/// The meaning of one notification of a button.
package enum ButtonReading: Equatable, Sendable {
    /// The level of the talk button. The note describes the rest of the value: a heartbeat, another button.
    case level(isPressed: Bool, note: String?)
    /// Neither a press nor a release. The text is the reason.
    case meaningless(String)

    static let pressed = ButtonReading.level(isPressed: true, note: nil)
    static let released = ButtonReading.level(isPressed: false, note: nil)
}

/// How a button encodes the level of its talk button in a notification.
///
/// Accepts any bytes; only values known to be a press are decoded as one.
package enum ButtonDecoder: Equatable, Sendable {
    /// The first byte is the level: `pressed`, or zero for released. Further bytes are ignored.
    ///
    /// "Any value but zero is a press" would latch permanently with a button that sends the characters 1 and 0.
    case byteEquals(pressed: UInt8)
    /// The first byte has a bit for each button, and optionally one for a heartbeat.
    case bitMask(talk: UInt8, heartbeat: UInt8, others: [UInt8: String])

    package func reading(of value: [UInt8]) -> ButtonReading {
        guard let first = value.first else { return .meaningless("empty") }
        switch self {
        case .byteEquals(let pressed):
            if first == 0 { return .released }
            return first == pressed ? .pressed : .meaningless("not a known value of this button")
        case .bitMask(let talk, let heartbeat, let others):
            let buttons = others.keys.reduce(talk, |)
            guard first & ~(buttons | heartbeat) == 0 else {
                return .meaningless("not a known bit of this button")
            }
            var notes = others.filter { first & $0.key != 0 }.sorted { $0.key < $1.key }.map(\.value)
            if first & heartbeat != 0 { notes.append("heartbeat") }
            return .level(
                isPressed: first & talk != 0,
                note: notes.isEmpty ? nil : notes.joined(separator: ", ")
            )
        }
    }
}

/// What one notification of a button says.
package enum ButtonReading: Equatable, Sendable {
    /// The level of the talk button. The note tells what else was in it: a heartbeat, another button.
    case level(isPressed: Bool, note: String?)
    /// Neither a press nor a release. The text says why.
    case meaningless(String)

    static let pressed = ButtonReading.level(isPressed: true, note: nil)
    static let released = ButtonReading.level(isPressed: false, note: nil)
}

/// How a button writes the level of its talk button into a notification.
///
/// Any bytes can be given to it; what is not known to be a press never becomes one.
package enum ButtonDecoder: Equatable, Sendable {
    /// The first byte is the level: `pressed`, or zero for released. What follows does not matter.
    ///
    /// "Anything but zero is a press" would latch for ever on a button that sends the characters 1 and 0.
    case byteEquals(pressed: UInt8)
    /// The first byte has a bit for each button, and perhaps one that only says that the device is alive.
    case bitMask(talk: UInt8, heartbeat: UInt8, others: [UInt8: String])

    package func reading(of value: [UInt8]) -> ButtonReading {
        guard let first = value.first else { return .meaningless("empty") }
        switch self {
        case .byteEquals(let pressed):
            if first == 0 { return .released }
            return first == pressed ? .pressed : .meaningless("not a value that this button is known to send")
        case .bitMask(let talk, let heartbeat, let others):
            let buttons = others.keys.reduce(talk, |)
            guard first & ~(buttons | heartbeat) == 0 else {
                return .meaningless("bits that this button is not known to send")
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

import PTTMessages

/// The result of learning an accessory: a reading of a recording that explains every step.
package struct LearnedInput: Equatable, Sendable {
    package let input: AccessoryInput
    let pattern: PressPattern
    /// The facts that were found, for people, in order.
    package internal(set) var facts: [LearningFact]
    package internal(set) var gesture = GestureSettings()
}

/// Something that was found in a recording.
package enum LearningFact: Hashable, Sendable, CustomStringConvertible {
    case holds
    case sendsNoRelease
    case releasedByItself
    /// The jack of a sound card: the button shorts the microphone while it is held.
    case shortsMicrophone
    case press(String)
    case release(String)
    case heartbeat([UInt8])
    case ignored([UInt8])
    case onSubscribing([UInt8])
    /// Another input reports the same presses.
    case mirrored(String)
    case alternatingKeys
    /// A byte of the value, counted from 1, that is no part of a press.
    case changing(byte: Int)
    /// Bytes of the value that did not change.
    case fixed

    package var description: String {
        switch self {
        case .holds: "it reports press and release: hold it to talk"
        case .sendsNoRelease: "it never reports its release: press to talk, press again to stop"
        case .releasedByItself:
            "it counts as released after 2 s although it is held: press to talk, press again to stop"
        case .shortsMicrophone:
            "it shorts the microphone while it is held: press to talk, press again to stop"
        case .press(let value): "press: \(value)"
        case .release(let value): "release: \(value)"
        case .heartbeat(let value): "\(value.hexadecimal) comes by itself, pressed or not: a heartbeat"
        case .ignored(let value): "\(value.hexadecimal) has no meaning for talking"
        case .onSubscribing(let value): "\(value.hexadecimal) comes on connecting, without a press"
        case .mirrored(let input): "the same presses also come from \(input), which is not used"
        case .alternatingKeys: "it sends its two keys in turns: each is a press"
        case .changing(let byte): "byte \(byte) changes by itself and has no meaning for talking"
        case .fixed:
            "the rest of what it sends did not change and must stay so: if it is the charge of the battery, the button "
                + "has to be learned again when it has changed"
        }
    }
}

extension AccessoryInput {
    /// Returns the action that a frame is for this input; nil if it comes from elsewhere.
    package func action(of frame: LearningFrame) -> AccessoryExample.Step.Action? {
        switch (self, frame.content) {
        case (.gatt(let inputs), .notified(let value, let attribute)):
            inputs.firstIndex { $0.attribute == attribute }.map { .notify(value, input: $0) }
        case (.serial(let input), .received(let bytes, let serviceClass)):
            input.serviceClass == serviceClass ? .receive(bytes) : nil
        case (.keys(let input), .key(let code, let isPressed)):
            input.meanings[code] == nil ? nil : .key(code, isPressed: isPressed)
        case (.gatt, .received), (.gatt, .key), (.serial, .notified), (.serial, .key), (.keys, .notified),
            (.keys, .received), (.advertisements, .notified), (.advertisements, .received),
            (.advertisements, .key):
            nil
        }
    }

    /// Returns the changes of the talk button that the real decoders read from a recording.
    package func presses(in frames: [LearningFrame]) -> [TimedPress] {
        var presses: [TimedPress] = []
        var isDown = false
        var scanner = scanner
        for frame in frames {
            for signal in signals(of: frame, &scanner) {
                let change: PressEvent? =
                    switch signal {
                    case .down(.talk): .down
                    case .up(.talk): .up
                    case .level(let roles): roles.contains(.talk) ? .down : .up
                    case .tap(.talk): .tap
                    case .uncertain: .up
                    case .down, .up, .tap, .arm, .fire, .alive, .battery, .unknown: nil
                    }
                guard let change, change == .tap || (change == .down) != isDown else { continue }
                if change != .tap { isDown = change == .down }
                presses.append(TimedPress(event: change, time: frame.time))
            }
        }
        return presses
    }

    private var scanner: TokenScanner? {
        if case .serial(let input) = self { TokenScanner(input.tokens) } else { nil }
    }

    private func signals(of frame: LearningFrame, _ scanner: inout TokenScanner?) -> [Signal] {
        switch (self, action(of: frame)) {
        case (.gatt(let inputs), .notify(let value, let input)): inputs[input].decoder.signals(of: value)
        case (.serial, .receive(let bytes)): scanner?.signals(of: bytes, at: frame.time) ?? []
        case (.keys(let input), .key(let code, let isPressed)): input.signals(of: code, isPressed: isPressed)
        case (.gatt, _), (.serial, _), (.advertisements, _), (.keys, _): []
        }
    }
}

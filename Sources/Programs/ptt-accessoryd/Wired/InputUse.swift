import AccessoryCore
import PTTMessages

/// The consent of a person to the presses of an input device, and what the person has chosen for it.
enum InputConsent: Equatable {
    /// It was plugged in, or root has marked or granted it.
    case notNeeded
    case enrolled(Enrolment)
    /// It is being enrolled.
    case candidate
    case missing(reason: String)

    var enrolment: Enrolment? {
        if case .enrolled(let enrolment) = self { enrolment } else { nil }
    }

    func use(_ definition: AccessoryDefinition) -> InputUse {
        switch self {
        case .notNeeded, .enrolled:
            .used(InputSettings(definition: definition, enrolment: enrolment, gate: .open))
        case .candidate:
            .used(InputSettings(definition: definition, enrolment: nil, gate: EnrolledDevices.closed))
        case .missing(let reason): .unused(reason: reason)
        }
    }
}

/// The use of a node that the udev rule tags.
enum InputUse: Equatable {
    /// It has none of our keys: the jack of a loudspeaker, for example.
    case ignored
    case unused(reason: String)
    case used(InputSettings)
}

struct InputSettings: Equatable {
    let definition: AccessoryDefinition
    let enrolment: Enrolment?
    let gate: Gate
}

extension AccessoryDefinition {
    /// The kernel's codes of the keys that it gives a meaning to.
    var keys: Set<UInt16> {
        guard case .keys(let input) = input else { return [] }
        return Set(input.meanings.keys)
    }

    /// One key that root has granted or a person has chosen, with what the best of the device's files says of
    /// it; without a file a key to hold.
    ///
    /// - Parameters:
    ///   - code: The key.
    ///   - files: Those that match the device, the best first.
    /// - Returns: A definition of that one key.
    static func granted(_ code: UInt16, as files: [AccessoryDefinition]) -> AccessoryDefinition {
        for file in files {
            guard case .keys(let input) = file.input, let meaning = input.meanings[code] else { continue }
            switch meaning {
            case .button, .tap:
                return AccessoryDefinition(
                    identifier: file.identifier,
                    name: file.name,
                    confidence: file.confidence,
                    match: file.match,
                    input: .keys(KeyInput([code: meaning])),
                    gesture: file.gesture
                )
            case .down, .up:
                // Its release is another key, which is not granted.
                break
            }
        }
        return AccessoryDefinition(
            identifier: "granted",
            name: "one key",
            confidence: .verified,
            match: AccessoryMatch(),
            input: .keys(KeyInput([code: .button(.talk)])),
            gesture: GestureSettings(mode: .hold)
        )
    }
}

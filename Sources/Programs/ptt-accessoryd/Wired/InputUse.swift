import AccessoryCore
import PTTMessages

/// Whether the presses of an input device count, and what a person has chosen for it.
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
        case .notNeeded: .used(InputSettings(definition: definition, enrolment: nil, gate: .open))
        case .enrolled(let enrolment):
            .used(InputSettings(definition: definition, enrolment: enrolment, gate: .open))
        case .candidate:
            .used(
                InputSettings(
                    definition: definition,
                    enrolment: nil,
                    gate: .closed(reason: "not enrolled yet", cause: .stopped)
                )
            )
        case .missing(let reason): .unused(reason: reason)
        }
    }
}

/// What becomes of a node that the udev rule tags.
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

    /// One key that root has granted.
    static func granted(_ code: UInt16, _ name: String) -> AccessoryDefinition {
        AccessoryDefinition(
            identifier: "granted",
            name: name,
            confidence: .verified,
            match: AccessoryMatch(),
            input: .keys(KeyInput([code: .button(.talk)])),
            gesture: GestureSettings(mode: .hold)
        )
    }
}

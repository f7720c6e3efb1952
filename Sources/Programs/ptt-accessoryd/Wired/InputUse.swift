import AccessoryCore

/// The consent of a person to the presses of an input device, and what the person has chosen for it.
enum InputConsent: Equatable {
    /// It was plugged in, or root has marked or granted it.
    case notNeeded
    case enrolled(Enrolment)
    /// It is being enrolled, with what was chosen for it.
    case candidate(Enrolment)
    case missing(reason: String)

    var enrolment: Enrolment? {
        switch self {
        case .enrolled(let enrolment), .candidate(let enrolment): enrolment
        case .notNeeded, .missing: nil
        }
    }

    func use(_ definition: AccessoryDefinition) -> InputUse {
        switch self {
        case .notNeeded, .enrolled:
            .used(InputSettings(definition: definition, enrolment: enrolment, gate: .open))
        case .candidate:
            .used(InputSettings(definition: definition, enrolment: enrolment, gate: EnrolledDevices.closed))
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
}

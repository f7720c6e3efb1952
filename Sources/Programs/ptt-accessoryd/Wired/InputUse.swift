import AccessoryCore

/// The consent of a person to the presses of an input device, and what the person has chosen for it.
enum InputConsent: Equatable {
    /// Without an enrolment it was plugged in, or root has marked or granted it. The gate of a device that is
    /// being enrolled is closed.
    case given(Enrolment? = nil, gate: Gate = .open)
    case missing(reason: String)

    var enrolment: Enrolment? {
        switch self {
        case .given(let enrolment, gate: _): enrolment
        case .missing: nil
        }
    }

    func use(_ definition: AccessoryDefinition) -> InputUse {
        switch self {
        case .given(let enrolment, let gate):
            .used(InputSettings(definition: definition, enrolment: enrolment, gate: gate))
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

import AccessoryCore

/// The consent of a person to the presses of an input device, and what the person has chosen for it.
enum InputConsent: Equatable {
    /// Without an enrolment it was plugged in, or root has marked or granted it. From a device that is being
    /// enrolled the permission is withheld.
    case given(Enrolment? = nil, permission: Permission = .given)
    case missing(reason: String)

    var enrolment: Enrolment? {
        switch self {
        case .given(let enrolment, permission: _): enrolment
        case .missing: nil
        }
    }

    func use(_ definition: AccessoryDefinition) -> InputUse {
        switch self {
        case .given(let enrolment, let permission):
            .used(InputSettings(definition: definition, enrolment: enrolment, permission: permission))
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
    let permission: Permission
}

extension AccessoryDefinition {
    /// The kernel's codes of the keys that it gives a meaning to.
    var keys: Set<UInt16> {
        guard case .keys(let input) = input else { return [] }
        return Set(input.meanings.keys)
    }
}

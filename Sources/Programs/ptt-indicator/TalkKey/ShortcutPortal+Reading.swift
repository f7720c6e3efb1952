import DBus
import IndicatorCore

extension BusSignal {
    /// The arguments of `Activated` and `Deactivated`; nil for malformed ones.
    var shortcut: (session: String, shortcut: String)? {
        guard arguments.count >= 2, let session = arguments[0].asObjectPath,
            let shortcut = arguments[1].asString
        else { return nil }
        return (session.text, shortcut)
    }
}

/// The key that a desktop has given to the shortcut.
enum BoundKey: CustomStringConvertible {
    case named(String)
    /// Plasma lists a shortcut that no key was chosen for.
    case none
    case unnamed

    var description: String {
        switch self {
        case .named(let name): "the talk key is bound: \(name)"
        case .none: "the talk key is not bound: choose a key for it in the settings of the desktop"
        case .unnamed: "the talk key is bound: the desktop does not say to which key"
        }
    }
}

extension BusValue {
    /// The talk key in the `a(sa{sv})` that `ListShortcuts` and `BindShortcuts` result in; nil if it is not
    /// there.
    var talkKey: BoundKey? {
        for shortcut in asArray ?? [] {
            guard let members = shortcut.asStructure, members.count == 2,
                members[0].asString == ShortcutSession.shortcut
            else { continue }
            guard let name = members[1].asProperties?["trigger_description"]?.asString else {
                return .unnamed
            }
            return name.isEmpty ? BoundKey.none : .named(DisplayText(name).text)
        }
        return nil
    }
}

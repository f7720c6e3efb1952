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

extension BusValue {
    /// The talk key as the desktop names it, in the `a(sa{sv})` that `BindShortcuts` results in.
    var trigger: String? {
        for shortcut in asArray ?? [] {
            guard let members = shortcut.asStructure, members.count == 2,
                members[0].asString == ShortcutSession.shortcut,
                let text = members[1].asProperties?["trigger_description"]?.asString
            else { continue }
            return DisplayText(text).text
        }
        return nil
    }
}

import DBus
import IndicatorCore

extension BusValue {
    /// The line of the log on the talk key, from the `a(sa{sv})` of shortcuts that `ListShortcuts` and
    /// `BindShortcuts` result in; nil if the key is not among them.
    var talkKey: String? {
        for shortcut in asArray ?? [] {
            guard let members = shortcut.asStructure, members.count == 2,
                members[0].asString == ShortcutSession.shortcut
            else { continue }
            guard let name = members[1].asProperties?["trigger_description"]?.asString else {
                return "the talk key is bound: the desktop does not say to which key"
            }
            // Plasma lists a shortcut that no key was chosen for.
            return name.isEmpty
                ? "the talk key is not bound: choose a key for it in the settings of the desktop"
                : "the talk key is bound: \(DisplayText(name).text)"
        }
        return nil
    }
}

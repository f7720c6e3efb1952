package import PTTMessages

/// A control that a person talks with. Each is an origin of its own for the core, so that the end of one is
/// not that of another.
package enum TalkOrigin: String, CaseIterable, Sendable {
    /// The tray item, which is a toggle, and its menu: panels report no release.
    case panel
    /// The notification's button.
    case notification
    /// The key on the keyboard, which is held.
    case key

    /// As the core knows it. A program holds nothing down; a key does, so that after the time limit it must
    /// be released before it begins again.
    package var origin: Origin {
        let known: (kind: OriginKind, name: String) =
            switch self {
            case .panel: (.application, "panel")
            case .notification: (.application, "notification")
            case .key: (.inputDevice, "keyboard")
            }
        let identifier = "org.pushtotalk.Indicator.\(rawValue)"
        return Origin(kind: known.kind, identifier: identifier, name: known.name)
    }

    /// Returns true if the origin is one of this program.
    static func has(_ origin: Origin) -> Bool { allCases.contains { $0.origin == origin } }
}

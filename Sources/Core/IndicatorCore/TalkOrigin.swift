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
        Origin(kind: kind, identifier: "org.pushtotalk.Indicator.\(rawValue)", name: name)
    }

    private var kind: OriginKind {
        switch self {
        case .panel, .notification: .application
        case .key: .inputDevice
        }
    }

    private var name: String {
        switch self {
        case .panel: "panel"
        case .notification: "notification"
        case .key: "keyboard"
        }
    }

    /// - Returns: Nil if the origin is not of this program.
    package init?(_ origin: Origin) {
        guard let known = Self.allCases.first(where: { $0.origin == origin }) else { return nil }
        self = known
    }
}

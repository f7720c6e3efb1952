package import PTTMessages

/// The content of the tray item.
package struct PanelItem: Equatable, Sendable {
    /// The raw value is that of the property `Status`.
    package enum State: String, Sendable {
        /// No channel: panels hide the item.
        case passive = "Passive"
        case active = "Active"
        /// The microphone is open.
        case attention = "NeedsAttention"
    }

    package var title: Text
    package var state: State
    package var icon: PanelIcon
    /// The picture of who speaks, if it is ready: in place of the icon.
    package var imageID: String?
    package var toolTip: Text
    /// Always the same entries in the same order, so that a menu that is open stays as it is where nothing
    /// has changed.
    package var menu: [MenuEntry]

    /// The title for panels. GNOME's extension has a screen reader say it of an item that needs attention,
    /// and no other text.
    package var spokenTitle: Text { state == .attention ? toolTip : title }
}

/// An entry of the tray item's menu.
package struct MenuEntry: Equatable, Sendable {
    /// The numbers stay the same while the program runs: panels name them in clicks that they send late.
    package enum ID: Int32, CaseIterable, Sendable {
        case channel = 1
        case speaker = 2
        case separator = 3
        case talk = 4
        case leave = 5
        case problem = 6
        case key = 7
        /// In the place of ``talk`` while the microphone is open. An entry of its own: a click may arrive
        /// when what was shown is not so any more, and must not do the opposite then.
        case stop = 8
    }

    package let id: ID
    package var label = Text("")
    package var isEnabled = false
    package var isVisible = true
    /// A picture that is ready.
    package var imageID: String?
}

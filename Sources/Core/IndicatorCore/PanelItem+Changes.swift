extension PanelItem {
    /// The parts of the item to announce after a change: panels fetch all of the item for each announcement.
    package struct Changes: Equatable, Sendable {
        package var title = false
        package var state = false
        package var icon = false
        package var toolTip = false
        /// The entries of the menu that have changed, as they are now.
        package var entries: [MenuEntry] = []
    }

    /// - Parameter old: What is shown; nil if the item is not shown yet.
    /// - Returns: What has changed since then.
    package func changes(from old: PanelItem?) -> Changes {
        var changes = Changes()
        changes.title = title != old?.title
        changes.state = state != old?.state
        changes.icon = icon != old?.icon
        changes.toolTip = toolTip != old?.toolTip || changes.title
        changes.entries = menu.filter { entry in old?.menu.first { $0.id == entry.id } != entry }
        return changes
    }
}

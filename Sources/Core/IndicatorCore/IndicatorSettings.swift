/// The settings that the person chose in `indicator.toml`.
package struct IndicatorSettings: Equatable, Sendable {
    package enum LockScreen: String, Sendable, CaseIterable {
        /// A notification.
        case text
        /// A media player, and the notification.
        case media
        case off
    }

    package var lockScreen: LockScreen
    package var namesOnLockScreen: Bool
    package var notifications: Bool
    package var key: Bool

    package init(
        lockScreen: LockScreen = .text,
        namesOnLockScreen: Bool = false,
        notifications: Bool = true,
        key: Bool = true
    ) {
        self.lockScreen = lockScreen
        self.namesOnLockScreen = namesOnLockScreen
        self.notifications = notifications
        self.key = key
    }
}

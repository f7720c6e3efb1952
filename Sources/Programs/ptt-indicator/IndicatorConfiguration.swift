import EventLoop
import IndicatorCore
import TOML

/// `/etc/pushtotalk/indicator.toml` and `$XDG_CONFIG_HOME/pushtotalk/indicator.toml`, every key optional.
struct IndicatorConfiguration: Equatable, Decodable {
    /// `text`, `media` or `off`: what a locked screen shows; `text` if left out.
    var lockScreen: String?
    /// True if a locked screen shows who speaks; false if left out.
    var namesOnLockScreen: Bool?
    /// True if there are notifications; true if left out.
    var notifications: Bool?
    /// True if a key of the keyboard talks, where the desktop offers it; true if left out.
    var key: Bool?

    private enum CodingKeys: String, CodingKey {
        case lockScreen = "lock-screen"
        case namesOnLockScreen = "names-on-lock-screen"
        case notifications
        case key
    }
}

extension IndicatorSettings {
    /// The machine's file, then the user's, whose keys take precedence.
    ///
    /// - Returns: The files taken together, and those that cannot be used: one of them may have asked for
    ///   an empty locked screen and for no key, so that this applies.
    static func load(
        _ paths: [String] = ConfigurationFile.paths("pushtotalk/indicator.toml")
    ) -> (value: IndicatorSettings, unusable: [ConfigurationFile.Unusable]) {
        let (file, unusable) = ConfigurationFile.load(over: IndicatorConfiguration(), paths) {
            file throws(TOMLError) in
            try ConfigurationFile.check("lock-screen", file.lockScreen, LockScreen.self)
        }
        let lockScreen = file.lockScreen.flatMap { LockScreen(rawValue: $0) }
        let value = IndicatorSettings(
            lockScreen: unusable.isEmpty ? lockScreen ?? .text : .off,
            namesOnLockScreen: file.namesOnLockScreen ?? false,
            notifications: file.notifications ?? true,
            key: unusable.isEmpty && file.key ?? true
        )
        return (value, unusable)
    }
}

import EventLoop
import IndicatorCore
import TOML

/// `/etc/pushtotalk/indicator.toml` and `$XDG_CONFIG_HOME/pushtotalk/indicator.toml`, every key optional.
struct IndicatorConfiguration: Equatable, Codable {
    /// `text`, `media` or `off`: what a locked screen shows; `text` if left out.
    var lockScreen: String?
    /// Whether a locked screen shows who speaks; false if left out.
    var namesOnLockScreen: Bool?
    /// Whether there are notifications; true if left out.
    var notifications: Bool?
    /// Whether a key of the keyboard talks, where the desktop offers it; true if left out.
    var key: Bool?

    private enum CodingKeys: String, CodingKey {
        case lockScreen = "lock-screen"
        case namesOnLockScreen = "names-on-lock-screen"
        case notifications
        case key
    }
}

extension IndicatorSettings {
    /// Replaces a file that cannot be used, which may have asked for no less.
    static let unreadable = IndicatorSettings(lockScreen: .off, key: false)
}

extension IndicatorSettings {
    /// The machine's file, then the user's, whose keys take precedence.
    static func load(
        _ paths: [String] = ConfigurationFile.paths("pushtotalk/indicator.toml")
    ) throws(ConfigurationFile.Unusable) -> IndicatorSettings {
        let file = try ConfigurationFile.load(IndicatorConfiguration.self, paths) { file throws(TOMLError) in
            guard let value = file.lockScreen, LockScreen(rawValue: value) == nil else { return }
            let values = LockScreen.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw TOMLError(place: nil, reason: "lock-screen is \"\(value)\", it must be one of \(values)")
        }
        return IndicatorSettings(
            lockScreen: file.lockScreen.flatMap { LockScreen(rawValue: $0) } ?? .text,
            namesOnLockScreen: file.namesOnLockScreen ?? false,
            notifications: file.notifications ?? true,
            key: file.key ?? true
        )
    }
}

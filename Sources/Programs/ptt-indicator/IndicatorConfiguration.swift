import EventLoop
import IndicatorCore
import TOML

/// `$XDG_CONFIG_HOME/pushtotalk/indicator.toml`, every key optional.
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

/// A configuration file that cannot be used. The indicator runs with ``IndicatorSettings/unreadable`` instead.
struct IndicatorConfigurationError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "\(path) cannot be used: \(reason). A locked screen shows nothing, and no key talks"
    }
}

extension IndicatorSettings {
    /// Replaces a file that cannot be used, which may have asked for no less.
    static let unreadable = IndicatorSettings(lockScreen: .off, key: false)
}

extension IndicatorConfiguration {
    /// The path of the file; nil without a home directory.
    static var path: String? { UserDirectory.configuration.path.map { $0 + "/pushtotalk/indicator.toml" } }

    /// In bytes. A configuration has a few lines; a larger file is a mistake.
    private static let sizeLimit = 64 * 1024

    /// - Returns: What the file says, or the defaults where there is no file.
    static func load(_ path: String) throws(IndicatorConfigurationError) -> IndicatorSettings {
        let configuration: IndicatorConfiguration
        do {
            guard let text = try TextFile.read(path, limit: sizeLimit) else { return IndicatorSettings() }
            configuration = try TOML.decode(IndicatorConfiguration.self, from: text)
        } catch {
            throw IndicatorConfigurationError(path: path, reason: "\(error)")
        }
        var settings = IndicatorSettings(
            namesOnLockScreen: configuration.namesOnLockScreen ?? false,
            notifications: configuration.notifications ?? true,
            key: configuration.key ?? true
        )
        if let value = configuration.lockScreen {
            guard let lockScreen = IndicatorSettings.LockScreen(rawValue: value) else {
                let values = IndicatorSettings.LockScreen.allCases.map { "\"\($0.rawValue)\"" }
                throw IndicatorConfigurationError(
                    path: path,
                    reason: "lock-screen is \"\(value)\", it must be one of \(values.joined(separator: ", "))"
                )
            }
            settings.lockScreen = lockScreen
        }
        return settings
    }
}

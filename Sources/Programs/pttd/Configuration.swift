import PTTCore
import TOML

/// `$XDG_CONFIG_HOME/pushtotalk/pttd.toml`, every key optional.
struct Configuration: Equatable, Codable {
    /// The longest transmission, in seconds: 1 to 1200.
    var timeLimit: Int?
    /// The capture device by its PulseAudio name; the default source if left out.
    var microphone: String?
    /// `allow` or `refuse`: what a press does while the screen is locked; `allow` if left out.
    var whileLocked: String?

    private enum CodingKeys: String, CodingKey {
        case timeLimit = "time-limit"
        case microphone
        case whileLocked = "while-locked"
    }
}

/// A configuration file that cannot be used. The core goes on with ``Configuration/unreadable``.
struct ConfigurationError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "\(path) is not used: \(reason). The defaults are, and a locked screen refuses"
    }
}

extension Configuration {
    /// In place of a file that cannot be used. It may have asked for a locked screen to refuse.
    static let unreadable = Configuration(whileLocked: TalkSession.WhileLocked.refuse.rawValue)

    /// Where the file lies; nil where there is no place for one.
    static var path: String? { UserDirectory.configuration.path.map { $0 + "/pttd.toml" } }

    /// A configuration is a few lines; more than this is somebody's mistake.
    private static let sizeLimit = 64 * 1024

    /// - Returns: The file's content, or an empty configuration where there is no file.
    static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        let configuration: Configuration
        do {
            guard let text = try TextFile.read(path, limit: sizeLimit) else { return Configuration() }
            configuration = try TOML.decode(Configuration.self, from: text)
        } catch {
            throw ConfigurationError(path: path, reason: "\(error)")
        }
        if let limit = configuration.timeLimit, !(1...1200).contains(limit) {
            throw ConfigurationError(
                path: path,
                reason: "time-limit is \(limit), it must be 1 to 1200 seconds"
            )
        }
        if let word = configuration.whileLocked, TalkSession.WhileLocked(rawValue: word) == nil {
            throw ConfigurationError(
                path: path,
                reason: "while-locked is \"\(word)\", it must be \"allow\" or \"refuse\""
            )
        }
        return configuration
    }
}

import Glibc
import TOML

/// `$XDG_CONFIG_HOME/pushtotalk/pttd.toml`, every key optional.
struct Configuration: Equatable, Codable {
    /// The longest transmission, in seconds: 1 to 1200.
    var timeLimit: Int?
    /// The capture device by its PulseAudio name; the default source if left out.
    var microphone: String?

    private enum CodingKeys: String, CodingKey {
        case timeLimit = "time-limit"
        case microphone
    }
}

/// A configuration file that cannot be used. The core goes on with its defaults.
struct ConfigurationError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path) is not used, the defaults are: \(reason)" }
}

extension Configuration {
    /// Where the file lies (XDG Base Directory Specification).
    static var path: String {
        if let directory = variable("XDG_CONFIG_HOME") { return directory + "/pushtotalk/pttd.toml" }
        return (variable("HOME") ?? "") + "/.config/pushtotalk/pttd.toml"
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// A configuration is a few lines; more than this is somebody's mistake.
    private static let sizeLimit = 64 * 1024

    /// - Returns: The file's content, or an empty configuration where there is no file.
    static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        guard let text = try read(path) else { return Configuration() }
        let configuration: Configuration
        do {
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
        return configuration
    }

    private static func read(_ path: String) throws(ConfigurationError) -> String? {
        guard let file = fopen(path, "re") else {
            if errno == ENOENT { return nil }
            throw ConfigurationError(path: path, reason: String(cString: strerror(errno)))
        }
        // Only read from: there is nothing that closing could fail to write.
        defer { _ = fclose(file) }
        var bytes = [UInt8](repeating: 0, count: sizeLimit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        if ferror(file) != 0 {
            throw ConfigurationError(path: path, reason: String(cString: strerror(errno)))
        }
        if count > sizeLimit { throw ConfigurationError(path: path, reason: "it is larger than 64 KiB") }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw ConfigurationError(path: path, reason: "it is not UTF-8 text")
        }
        return text
    }
}

import EventLoop
import PTTCore
import TOML

/// `$XDG_CONFIG_HOME/pushtotalk/pttd.toml`, every key optional.
package struct Configuration: Equatable, Codable {
    /// The longest transmission, in seconds, within ``timeLimits``.
    package var timeLimit: Int?
    /// How much longer than the press a transmission lasts, in milliseconds, within ``releaseLags``; 0 if left out.
    package var releaseLag: Int?
    /// The capture devices in order of preference; the default source if left out.
    package var microphone: Microphones?
    /// `allow` or `refuse`: what happens to a press while the screen is locked; `allow` if left out.
    package var whileLocked: String?
    /// Whether there is a Push-to-Talk Microphone; true if left out.
    package var virtualMicrophone: Bool?
    /// Whether transmissions yield to calls; true if left out.
    package var calls: Bool?
    /// The names of the applications whose recordings count as calls; none if left out.
    package var callApplications: [String]?
    /// Whether an emergency button transmits during a call; false if left out.
    package var emergencyDuringCalls: Bool?
    /// Whether `ptt-indicator` is started when a channel is joined; true if left out.
    package var indicator: Bool?
    package var tones: Tones?

    /// `music`, `transmission`, `conversation` or `channel`: when a Bluetooth headset uses its microphone; `music`, never, if
    /// left out.
    package var bluetoothHeadset: String?

    /// `off`, `lower` or `mute`: what happens to what other programs play while the microphone is open; `off` if left out.
    package var ducking: String?

    package init(whileLocked: String? = nil) {
        self.whileLocked = whileLocked
    }

    private enum CodingKeys: String, CodingKey {
        case timeLimit = "time-limit"
        case releaseLag = "release-lag"
        case microphone
        case whileLocked = "while-locked"
        case virtualMicrophone = "virtual-microphone"
        case calls
        case callApplications = "call-applications"
        case emergencyDuringCalls = "emergency-during-calls"
        case bluetoothHeadset = "bluetooth-headset"
        case ducking
        case indicator
        case tones
    }
}

/// `bluetooth-headset`: when a Bluetooth headset uses its microphone.
package enum HeadsetMode: String, CaseIterable, Sendable {
    /// Never changed: another microphone talks, the headset plays.
    case music
    /// With the microphone for each transmission.
    case transmission
    /// With the microphone for some time after the last transmission.
    case conversation
    /// With the microphone while a channel is joined.
    case channel
}

/// `ducking`: what happens to what other programs play while the microphone is open.
package enum DuckingMode: String, CaseIterable, Sendable {
    case off
    case lower
    case mute
}

/// A configuration file that cannot be used. The core runs with ``Configuration/unreadable`` instead.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String {
        "\(path) cannot be used: \(reason). The defaults apply, and a locked screen refuses"
    }
}

extension Configuration {
    /// Replaces a file that cannot be used, which may have asked to refuse while the screen is locked.
    package static let unreadable = Configuration(whileLocked: TalkSession.WhileLocked.refuse.rawValue)

    /// The property of the devices and streams of the sound server that are the core's own, and never microphones.
    package static let ownDeviceProperty = "pttd.virtual"

    private static let timeLimits = 1...1200
    private static let releaseLags = 0...300

    /// The path of the file; nil without a home directory.
    package static var path: String? { UserDirectory.configuration.path.map { $0 + "/pushtotalk/pttd.toml" } }

    /// In bytes. A configuration has a few lines; a larger file is a mistake.
    private static let sizeLimit = 64 * 1024

    /// - Returns: The file's content, or an empty configuration where there is no file.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        let configuration: Configuration
        do {
            guard let text = try TextFile.read(path, limit: sizeLimit) else { return Configuration() }
            configuration = try TOML.decode(Configuration.self, from: text)
        } catch {
            throw ConfigurationError(path: path, reason: "\(error)")
        }
        if let limit = configuration.timeLimit, !timeLimits.contains(limit) {
            let (shortest, longest) = (timeLimits.lowerBound, timeLimits.upperBound)
            throw ConfigurationError(
                path: path,
                reason: "time-limit is \(limit), it must be \(shortest) to \(longest) seconds"
            )
        }
        if let lag = configuration.releaseLag, !releaseLags.contains(lag) {
            let (shortest, longest) = (releaseLags.lowerBound, releaseLags.upperBound)
            throw ConfigurationError(
                path: path,
                reason: "release-lag is \(lag), it must be \(shortest) to \(longest) milliseconds"
            )
        }
        if let value = configuration.whileLocked, TalkSession.WhileLocked(rawValue: value) == nil {
            throw ConfigurationError(
                path: path,
                reason: "while-locked is \"\(value)\", it must be \"allow\" or \"refuse\""
            )
        }
        if let value = configuration.bluetoothHeadset, HeadsetMode(rawValue: value) == nil {
            let values = HeadsetMode.allCases.map { "\"\($0.rawValue)\"" }
            throw ConfigurationError(
                path: path,
                reason:
                    "bluetooth-headset is \"\(value)\", it must be one of \(values.joined(separator: ", "))"
            )
        }
        if let value = configuration.ducking, DuckingMode(rawValue: value) == nil {
            throw ConfigurationError(
                path: path,
                reason: "ducking is \"\(value)\", it must be \"off\", \"lower\" or \"mute\""
            )
        }
        if let value = configuration.tones?.gate, ToneGate(rawValue: value) == nil {
            throw ConfigurationError(
                path: path,
                reason: "gate is \"\(value)\", it must be \"auto\", \"on\" or \"off\""
            )
        }
        return configuration
    }
}

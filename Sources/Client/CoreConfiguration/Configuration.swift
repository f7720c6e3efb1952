import EventLoop
import PTTCore
package import TOML

/// `/etc/pushtotalk/pttd.toml` and `$XDG_CONFIG_HOME/pushtotalk/pttd.toml`, every key optional.
package struct Configuration: Equatable, Decodable {
    /// The longest transmission, in seconds, within ``timeLimits``.
    package var timeLimit: Int?
    /// The time in milliseconds by which a transmission lasts longer than the press, within ``releaseLags``;
    /// 0 if left out.
    package var releaseLag: Int?
    /// The capture devices in order of preference; the default source if left out.
    package var microphone: Microphones?
    /// `allow` or `refuse`: what happens to a press while the screen is locked; `allow` if left out.
    package var whileLocked: String?
    /// True if there is a Push-to-Talk Microphone; true if left out.
    package var virtualMicrophone: Bool?
    /// True if transmissions yield to calls; true if left out.
    package var calls: Bool?
    /// The names of the applications whose recordings count as calls; none if left out.
    package var callApplications: [String]?
    /// True if an emergency button transmits during a call; false if left out.
    package var emergencyDuringCalls: Bool?
    /// True if `ptt-indicator` is started when a channel is joined; true if left out.
    package var indicator: Bool?
    package var tones: Tones?

    /// `music`, `transmission`, `conversation` or `channel`: when a Bluetooth headset uses its microphone;
    /// `music`, never, if left out.
    package var bluetoothHeadset: String?

    /// `off`, `lower` or `mute`: what happens to what other programs play while the microphone is open; `off`
    /// if left out.
    package var ducking: String?

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

extension Configuration {
    /// The property of the devices and streams of the sound server that are the core's own, and never
    /// microphones.
    package static let ownDeviceProperty = "pttd.virtual"

    private static let timeLimits = 1...1200
    private static let releaseLags = 0...300

    /// The machine's file, then the user's, whose keys take precedence.
    package static var paths: [String] { ConfigurationFile.paths("pushtotalk/pttd.toml") }

    /// - Returns: The keys of all files together, and the files that cannot be used: one may have asked to
    ///   refuse while the screen is locked, so that this applies.
    package static func load(
        _ paths: [String] = paths
    ) -> (value: Configuration, unusable: [ConfigurationFile.Unusable]) {
        var (value, unusable) = ConfigurationFile.load(over: Configuration(), paths) {
            file throws(TOMLError) in try file.check()
        }
        if !unusable.isEmpty { value.whileLocked = TalkSession.WhileLocked.refuse.rawValue }
        return (value, unusable)
    }

    private func check() throws(TOMLError) {
        try Self.check("time-limit", timeLimit, Self.timeLimits, "seconds")
        try Self.check("release-lag", releaseLag, Self.releaseLags, "milliseconds")
        try ConfigurationFile.check("while-locked", whileLocked, TalkSession.WhileLocked.self)
        try ConfigurationFile.check("bluetooth-headset", bluetoothHeadset, HeadsetMode.self)
        try ConfigurationFile.check("ducking", ducking, DuckingMode.self)
        try ConfigurationFile.check("gate", tones?.gate, ToneGate.self)
    }

    private static func check(
        _ key: String,
        _ value: Int?,
        _ range: ClosedRange<Int>,
        _ unit: String
    ) throws(TOMLError) {
        guard let value, !range.contains(value) else { return }
        let limits = "\(range.lowerBound) to \(range.upperBound) \(unit)"
        throw TOMLError(place: nil, reason: "\(key) is \(value), it must be \(limits)")
    }
}

package import PTTMessages

/// What is known of a family of Bluetooth buttons. One file per family in `Profiles`.
package struct AccessoryProfile: Equatable, Sendable {
    package enum Bonding: Equatable, Sendable {
        /// Never bond: the button forgets its key, and the host then fails to encrypt for ever.
        case never
        /// Bond if the button asks for it.
        case ifRequested
        /// The button notifies only over an encrypted link.
        case required
    }

    package let name: String
    package let service: GattUUID
    /// The one that notifies.
    package let characteristic: GattUUID
    package let decoder: ButtonDecoder
    package let mode: ButtonMode
    package let bonding: Bonding
    /// Names that such devices advertise; `*` at the end stands for anything. Hints only: the same name is on
    /// devices that have nothing else in common.
    package let names: [String]
    /// Names of devices that have the service but must not be used.
    package let excludedNames: [String]

    /// The more particular come first: some devices have a common service beside their own.
    package static let all = [aina, nordicLEDButton, ffe0]

    /// The profiles that fit, the best first.
    ///
    /// - Parameters:
    ///   - services: UUIDs as text, in any form.
    ///   - name: The device's name, if known.
    /// - Returns: Nothing if no profile fits, or the device is one that must not be used.
    package static func matching(services: some Sequence<String>, name: String? = nil) -> [AccessoryProfile] {
        let services = Set(services.compactMap { GattUUID($0) })
        return all.filter { profile in
            guard let name, matches(name, profile.excludedNames) else {
                return services.contains(profile.service)
            }
            return false
        }
    }

    /// The profile that a name hints at. Many buttons tell their services only when connected.
    package static func hinted(byName name: String) -> AccessoryProfile? {
        all.first { matches(name, $0.names) && !matches(name, $0.excludedNames) }
    }

    /// What each profile makes of a notification, for learning what a button sends. Takes any bytes.
    package static func readings(of value: [UInt8]) -> [(profile: AccessoryProfile, reading: ButtonReading)] {
        all.map { ($0, $0.decoder.reading(of: value)) }
    }

    private static func matches(_ name: String, _ patterns: [String]) -> Bool {
        let name = name.lowercased()
        return patterns.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
        }
    }
}

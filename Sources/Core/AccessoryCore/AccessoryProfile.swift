package import PTTMessages

/// A family of Bluetooth buttons: its GATT service and how it reports presses. One file per family in `Profiles`.
package struct AccessoryProfile: Equatable, Sendable {
    package enum Bonding: Equatable, Sendable {
        /// Never bond: the button loses its key, after which the host can never encrypt the link again.
        case never
        /// Bond if the button requests it.
        case ifRequested
        /// The button notifies only over an encrypted link.
        case required
    }

    package let name: String
    package let service: GattUUID
    /// The characteristic whose notifications report the button.
    package let characteristic: GattUUID
    package let decoder: ButtonDecoder
    package let mode: ButtonMode
    package let bonding: Bonding
    /// Names that such devices advertise; a final `*` matches any suffix. Hints only: other devices may have the same
    /// name.
    package let names: [String]
    /// Names of devices that have the service but must not be used.
    let excludedNames: [String]

    /// The most specific first: some devices have a common service in addition to their own.
    package static let all = [aina, nordicLEDButton, ffe0]

    /// The matching profiles, the best first.
    ///
    /// - Parameters:
    ///   - services: UUIDs as text, in any form.
    ///   - name: The device's name, if known.
    /// - Returns: An empty array if no profile matches, or the device must not be used.
    package static func matching(services: some Sequence<String>, name: String? = nil) -> [AccessoryProfile] {
        let services = Set(services.compactMap { GattUUID($0) })
        return all.filter { profile in
            guard let name, matches(name, profile.excludedNames) else {
                return services.contains(profile.service)
            }
            return false
        }
    }

    /// The profile that a name hints at. Many buttons do not advertise their services.
    package static func hinted(byName name: String) -> AccessoryProfile? {
        all.first { matches(name, $0.names) && !matches(name, $0.excludedNames) }
    }

    /// The reading of a notification by each profile, to find out what a button sends. Accepts any bytes.
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

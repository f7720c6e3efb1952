package import PTTMessages

/// A family of Bluetooth buttons: its GATT service and how it reports presses. One file per family in `Profiles`.
package struct AccessoryProfile: Equatable, Sendable {
    package let definition: AccessoryDefinition

    package var name: String { definition.name }
    package var mode: ButtonMode { definition.gesture.mode ?? .hold }
    package var bonding: ConnectionPolicy.Bonding { definition.connection.bonding }

    var inputs: [GattInput] {
        switch definition.input {
        case .gatt(let inputs): inputs
        case .serial, .keys: []
        }
    }

    package var attributes: [GattAttribute] { inputs.map(\.attribute) }

    package var service: GattUUID { attributes[0].service }
    package var characteristic: GattUUID { attributes[0].characteristic }
    package var names: [String] { definition.match.hints }
    var excludedNames: [String] { definition.match.excludedNames }

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

    private static func matches(_ name: String, _ patterns: [String]) -> Bool {
        let name = name.lowercased()
        return patterns.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
        }
    }
}

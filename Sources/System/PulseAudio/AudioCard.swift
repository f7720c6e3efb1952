import CPulse

/// A sound card of the server, or what it presents as one: a Bluetooth headset, for example.
package struct AudioCard: Sendable, Equatable {
    /// One of the ways in which a card can be used, each with its own sinks and sources.
    package struct Profile: Sendable, Equatable {
        /// The server's name of it, for requests.
        package let name: String
        package let hasMicrophone: Bool
        /// False if it is known that it cannot be used now.
        package let isAvailable: Bool
        /// The larger one is the better one, by the server.
        package let priority: UInt32
    }

    /// The server's index of it.
    package let index: UInt32
    /// The server's name of it, for requests.
    package let name: String
    package let isBluetooth: Bool
    /// The name of the profile in use; empty if there is none.
    package let activeProfile: String
    package let profiles: [Profile]

    /// The profile in use; nil if it is not known.
    package var active: Profile? { profiles.first { $0.name == activeProfile } }
}

extension AudioCard {
    /// More profiles are left out.
    private static let profileLimit = 100

    init(_ info: pa_card_info, _ own: OwnMarks) {
        var profiles: [Profile] = []
        for number in 0..<min(Int(info.n_profiles), Self.profileLimit) {
            guard let profile = info.profiles2?[number]?.pointee else { break }
            profiles.append(
                Profile(
                    name: text(profile.name) ?? "",
                    hasMicrophone: profile.n_sources > 0,
                    isAvailable: profile.available != 0,
                    priority: profile.priority
                )
            )
        }
        self.init(
            index: info.index,
            name: text(info.name) ?? "",
            // `bluez5` on PipeWire.
            isBluetooth: property("device.bus", of: info.proplist) == "bluetooth"
                || property("device.api", of: info.proplist)?.utf8.starts(with: "bluez".utf8) == true,
            activeProfile: text(info.active_profile2?.pointee.name) ?? "",
            profiles: profiles
        )
    }
}

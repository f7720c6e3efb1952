import PTTMessages

extension AccessoryProfile {
    /// Most inexpensive buttons: PTT-Z01, Pryme BT-PTT-Z, Clickoris and others that are sold as "Zello button".
    ///
    /// - They notify `00` as soon as notifications are turned on.
    /// - A Pryme loses its bonding key when it is switched off: https://github.com/VanceVagell/kv4p-ht/issues/30
    /// - iTag key finders have the same service, but never report a release.
    package static let ffe0 = AccessoryProfile(
        definition: AccessoryDefinition(
            identifier: "ffe0",
            name: "FFE0",
            confidence: .verified,
            match: AccessoryMatch(excludedNames: ["iTag*"], hints: ["PTT", "PTT-Z*", "TID-MIC-Q2L*"]),
            connection: ConnectionPolicy(bonding: .never),
            input: .gatt([
                GattInput(
                    GattAttribute(
                        service: GattUUID(assigned: 0xFFE0),
                        characteristic: GattUUID(assigned: 0xFFE1)
                    ),
                    .bytes([BytePattern([0x01], [.down(.talk)]), BytePattern([0x00], [.up(.talk)])])
                )
            ])
        )
    )
}

import PTTMessages

extension AccessoryProfile {
    /// Nordic's LED Button Service, the example on every development kit (`lbs.c` of the nRF Connect SDK).
    package static let nordicLEDButton = AccessoryProfile(
        definition: AccessoryDefinition(
            identifier: "nordic-led-button",
            name: "NordicLEDButton",
            confidence: .verified,
            match: AccessoryMatch(excludedNames: [], hints: ["Nordic_Blinky", "Nordic_LBS"]),
            connection: ConnectionPolicy(bonding: .ifRequested),
            input: .gatt([
                GattInput(
                    GattAttribute(
                        service: GattUUID(0x0000_1523_1212_EFDE_1523_785F_EABC_D123),
                        characteristic: GattUUID(0x0000_1524_1212_EFDE_1523_785F_EABC_D123)
                    ),
                    .bytes([BytePattern([0x01], [.down(.talk)]), BytePattern([0x00], [.up(.talk)])])
                )
            ])
        )
    )
}

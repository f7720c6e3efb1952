import PTTMessages

extension AccessoryProfile {
    /// Nordic's LED Button Service, the example on every development kit (`lbs.c` of the nRF Connect SDK).
    package static let nordicLEDButton = AccessoryProfile(
        name: "NordicLEDButton",
        service: GattUUID(0x0000_1523_1212_EFDE_1523_785F_EABC_D123),
        characteristic: GattUUID(0x0000_1524_1212_EFDE_1523_785F_EABC_D123),
        decoder: .byteEquals(pressed: 0x01),
        mode: .hold,
        bonding: .ifRequested,
        names: ["Nordic_Blinky", "Nordic_LBS"],
        excludedNames: []
    )
}

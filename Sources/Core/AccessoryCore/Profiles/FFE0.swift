import PTTMessages

extension AccessoryProfile {
    /// Most inexpensive buttons: PTT-Z01, Pryme BT-PTT-Z, Clickoris and others that are sold as "Zello button".
    ///
    /// - They notify `00` as soon as notifications are turned on.
    /// - A Pryme loses its bonding key when it is switched off: https://github.com/VanceVagell/kv4p-ht/issues/30
    /// - iTag key finders have the same service, but never report a release.
    package static let ffe0 = AccessoryProfile(
        name: "FFE0",
        service: GattUUID(assigned: 0xFFE0),
        characteristic: GattUUID(assigned: 0xFFE1),
        decoder: .byteEquals(pressed: 0x01),
        mode: .hold,
        bonding: .never,
        names: ["PTT", "PTT-Z*", "TID-MIC-Q2L*"],
        excludedNames: ["iTag*"]
    )
}

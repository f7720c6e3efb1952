import PTTMessages

extension AccessoryProfile {
    /// AINA Voice Responder and Smart Button.
    ///
    /// One byte of flags as in "AINA APTT Communication Protocol" v18, section 4; the highest bit is a heartbeat.
    /// The manufacturer's example application waits for a bond:
    /// https://github.com/AinaWireless/Smart-Button-Example
    package static let aina = AccessoryProfile(
        name: "AINA",
        service: GattUUID(0x127F_ACE1_CB21_11E5_93D0_0002_A5D5_C51B),
        characteristic: GattUUID(0x127F_BEEF_CB21_11E5_93D0_0002_A5D5_C51B),
        decoder: .bitMask(
            talk: 0x01,
            heartbeat: 0x80,
            others: [
                0x02: "emergency", 0x04: "second talk button", 0x08: "left", 0x10: "right",
                0x20: "multifunction",
            ]
        ),
        mode: .hold,
        bonding: .ifRequested,
        names: ["ASB*", "APTT*"],
        excludedNames: []
    )
}

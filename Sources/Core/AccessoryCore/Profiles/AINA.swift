import PTTMessages

extension AccessoryProfile {
    /// AINA Voice Responder and Smart Button.
    ///
    /// One byte of flags as in "AINA APTT Communication Protocol" v18, section 4; the highest bit is a heartbeat.
    /// The manufacturer's example application waits for a bond:
    /// https://github.com/AinaWireless/Smart-Button-Example
    package static let aina = AccessoryProfile(
        definition: AccessoryDefinition(
            identifier: "aina",
            name: "AINA",
            confidence: .verified,
            match: AccessoryMatch(hints: ["ASB*", "APTT*"]),
            input: .gatt([
                GattInput(
                    GattAttribute(
                        service: GattUUID(0x127F_ACE1_CB21_11E5_93D0_0002_A5D5_C51B),
                        characteristic: GattUUID(0x127F_BEEF_CB21_11E5_93D0_0002_A5D5_C51B)
                    ),
                    .bits(
                        BitTable(
                            [
                                0x01: .talk, 0x02: .emergency, 0x04: .secondTalk, 0x08: .channelDown,
                                0x10: .channelUp, 0x20: .multifunction,
                            ],
                            ignored: 0x80
                        )
                    )
                )
            ])
        )
    )
}

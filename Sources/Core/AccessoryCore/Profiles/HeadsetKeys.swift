import PTTMessages

extension AccessoryDefinition {
    /// `KEY_PLAYPAUSE`, `KEY_PLAYCD` and `KEY_PAUSECD` (which AVRCP sends alternately), `KEY_MEDIA` (older plugs). A
    /// headset has one such button, whichever code it sends.
    package static let headsetKeys: [UInt16] = [164, 200, 201, 226]

    /// The hook key of a 3.5 mm plug shorts the microphone while it is down, so that it cannot be held to talk, and
    /// dirty contacts cause very short presses.
    package static let headsetPlug = headset("headset-jack", shortestPress: .milliseconds(10))

    /// USB and Bluetooth: the headset's firmware may send press and release together, and Bluetooth headsets do not
    /// report a hold.
    package static let remoteHeadset = headset("headset-usb", shortestPress: .zero)

    private static func headset(_ identifier: String, shortestPress: Duration) -> AccessoryDefinition {
        AccessoryDefinition(
            identifier: identifier,
            name: "Headset",
            confidence: .verified,
            match: AccessoryMatch(),
            input: .keys(
                KeyInput(Dictionary(uniqueKeysWithValues: headsetKeys.map { ($0, .button(.talk)) }))
            ),
            gesture: GestureSettings(mode: .toggle, shortestPress: shortestPress)
        )
    }
}

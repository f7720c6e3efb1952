/// The way in which a button controls the transmission.
package enum ButtonMode: String, WireEnum {
    case unknown
    /// Talk while it is held.
    case hold
    /// One press begins, the next ends.
    case toggle
    /// A tap keeps it down until the next press; talk while it is held.
    case latch
}

/// The state of the link to a device.
package enum LinkState: String, WireEnum {
    case unknown
    /// Not connected: asleep, out of range or switched off.
    case away
    /// Connected; its services are being looked up or subscribed to.
    case connecting
    /// A press will be detected.
    case ready
    /// Present, but not used; `remark` gives the reason.
    case unused
}

/// An accessory and its state.
package struct AccessoryDevice: Equatable, Codable, Sendable {
    /// Kind and identifier are those of the ``Origin`` of its presses.
    package let kind: OriginKind
    package let identifier: String
    package let name: String
    /// The name of the accessory profile, `FFE0` for example.
    package let profile: String?
    package let mode: ButtonMode
    package let link: LinkState
    package let isPressed: Bool
    /// A note of what people should know or do about the device, if anything.
    package let remark: String?
    /// Percent, 0 to 100; nil if the device does not report it, or has not yet.
    package var battery: Int?
    /// The identifier of the accessory file that describes the device; nil if none does.
    package var accessory: String?
    /// The button that was pressed last; nil before the first press.
    package var lastRole: ButtonRole?
    /// The time at which ``lastRole`` was pressed: microseconds of the monotonic clock.
    package var lastPress: Int?

    package init(
        kind: OriginKind,
        identifier: String,
        name: String,
        profile: String?,
        mode: ButtonMode,
        link: LinkState,
        isPressed: Bool,
        remark: String?,
        battery: Int? = nil,
        accessory: String? = nil,
        lastRole: ButtonRole? = nil,
        lastPress: Int? = nil
    ) {
        self.kind = kind
        self.identifier = identifier
        self.name = name
        self.profile = profile
        self.mode = mode
        self.link = link
        self.isPressed = isPressed
        self.remark = remark
        self.battery = battery
        self.accessory = accessory
        self.lastRole = lastRole
        self.lastPress = lastPress
    }
}

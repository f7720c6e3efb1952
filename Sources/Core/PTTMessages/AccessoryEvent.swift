package enum AccessoryEventKind: String, WireEnum {
    case unknown
    case deviceAdded
    case deviceChanged
    case deviceRemoved
    case pressed
    case released
    /// A device sent something that changes nothing, named in `remark`: a heartbeat, a repeated level,
    /// unknown bytes.
    case ignored
    /// ptt-accessoryd connected to the core, or lost the connection.
    case coreConnected
    case coreLost
    /// The charge of its battery, in `value`, has become low.
    case batteryLow
}

/// An event of ptt-accessoryd.
package struct AccessoryEvent: Equatable, Codable, Sendable {
    package let kind: AccessoryEventKind
    package let device: AccessoryDevice?
    /// The button that was pressed or released; nil where the event is not about a button.
    package let role: ButtonRole?
    /// The value that the device sent, in hexadecimal or as the name of a key.
    package let value: String?
    package let remark: String?

    package init(
        _ kind: AccessoryEventKind,
        device: AccessoryDevice? = nil,
        role: ButtonRole? = nil,
        value: String? = nil,
        remark: String? = nil
    ) {
        self.kind = kind
        self.device = device
        self.role = role
        self.value = value
        self.remark = remark
    }
}

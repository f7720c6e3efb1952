/// The type that a Bluetooth address states of itself (Bluetooth Core Specification, volume 6, part B, 1.3).
package enum AddressType: String, WireEnum {
    case unknown
    /// Assigned to the device for ever.
    case `public`
    /// Chosen by the device, which keeps it, at least while it has power.
    case randomStatic
    /// Replaced every few minutes. A bond tells the identity behind it.
    case privateResolvable
    /// Replaced every few minutes, and nothing tells the identity behind it.
    case privateNonResolvable
}

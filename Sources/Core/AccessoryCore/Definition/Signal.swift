package import PTTMessages

/// The report of one input of an accessory: the meaning of a notification, of a part of a serial stream, or
/// of a key.
package enum Signal: Hashable, Sendable {
    /// A button went down, or is down: an accessory may repeat it.
    case down(ButtonRole)
    /// A button went up, or is up.
    case up(ButtonRole)
    /// A button was pressed that never reports its release.
    case tap(ButtonRole)
    /// A button went down whose press counts only if no other one goes down before it is released: the short
    /// press of a button whose long press has another role.
    case arm(ButtonRole)
    /// The release of an armed button: a tap if it is still armed.
    case fire(ButtonRole)
    /// The level of every button of the input: these are down, all others up.
    case level(Set<ButtonRole>)
    /// A heartbeat, or anything else that says only that the accessory is there.
    case alive
    /// The charge of its battery in percent, 0 to 100.
    case battery(Int)
    /// A value that is not listed came where the level of a button does: the button may be up.
    case uncertain
    /// Not a value of this accessory. The text is the reason, for people.
    case unknown(String)
}

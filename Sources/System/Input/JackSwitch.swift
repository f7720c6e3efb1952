/// A switch of a 3.5 mm jack (`SW_…` of `linux/input-event-codes.h`), which tells what is plugged in.
///
/// A sound card's driver detects it by the plug's impedance or by a mechanical contact (sound/core/jack.c). A
/// jack stays as an input device when its plug is pulled; only the switches change.
package enum JackSwitch: Int32, CaseIterable, Sendable {
    case headphone = 0x02
    case microphone = 0x04
    case lineOut = 0x06
    /// A contact that any plug closes.
    case physical = 0x07
}

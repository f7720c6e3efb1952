import CEvdev

/// The closed switches of a 3.5 mm jack (`SW_…` of `linux/input-event-codes.h`): what is plugged in.
///
/// A sound card's driver detects them by the plug's impedance or by a mechanical contact (sound/core/jack.c).
/// A jack stays as an input device when its plug is pulled; only the switches change.
package struct JackSwitches: OptionSet, Hashable, Sendable {
    /// Bit n is the switch with the code n.
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    private init(_ code: Int32) {
        self.init(rawValue: 1 << UInt64(code))
    }

    package static let headphone = JackSwitches(SW_HEADPHONE_INSERT)
    package static let microphone = JackSwitches(SW_MICROPHONE_INSERT)
    package static let lineOut = JackSwitches(SW_LINEOUT_INSERT)
    /// A contact that any plug closes.
    package static let physical = JackSwitches(SW_JACK_PHYSICAL_INSERT)

    static let all: JackSwitches = [.headphone, .microphone, .lineOut, .physical]

    static func has(_ code: Int32) -> Bool {
        (0..<64).contains(code) && all.contains(JackSwitches(code))
    }

    /// The codes of these switches.
    var codes: [UInt32] {
        (0..<64).filter { rawValue >> UInt64($0) & 1 == 1 }
    }

    /// The layout of `EVIOCSMASK`: bit n of byte n / 8.
    var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) }
    }
}

import CEvdev

/// A key of an input device: the `KEY_…` and `BTN_…` numbers of `linux/input-event-codes.h`.
package struct KeyCode: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ code: Int32) {
        self.init(rawValue: UInt16(code))
    }

    /// - Parameter name: The kernel's, for example `KEY_PLAYPAUSE`. Nil for a name that libevdev does not
    ///   know.
    package init?(name: String) {
        let code = libevdev_event_code_from_name(UInt32(EV_KEY), name)
        guard let code = UInt16(exactly: code) else { return nil }
        self.init(rawValue: code)
    }

    /// One past the highest code that the kernel knows (`KEY_CNT`).
    static let count: UInt16 = 0x300

    /// The three rows of letters in the order of linux/input-event-codes.h, and the space bar.
    fileprivate static let typing = Set(
        [KEY_Q...KEY_P, KEY_A...KEY_L, KEY_Z...KEY_M, KEY_SPACE...KEY_SPACE].joined().map { KeyCode($0) }
    )

    package static let playPause = KeyCode(KEY_PLAYPAUSE)
    package static let nextSong = KeyCode(KEY_NEXTSONG)
    package static let volumeUp = KeyCode(KEY_VOLUMEUP)
    package static let volumeDown = KeyCode(KEY_VOLUMEDOWN)

    /// The kernel's name, for example `KEY_PLAYPAUSE`, that of a line, or the number if there is none.
    package var description: String {
        if let line = SerialLine(self) { return line.name }
        guard let name = libevdev_event_code_get_name(UInt32(EV_KEY), UInt32(rawValue)) else {
            return "key \(rawValue)"
        }
        return String(cString: name)
    }

    package static func < (left: KeyCode, right: KeyCode) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Set<KeyCode> {
    /// Parses a `capabilities/key` attribute of sysfs: hexadecimal words of the kernel's `unsigned long`,
    /// the highest first, without leading zero words.
    ///
    /// - Parameters:
    ///   - text: The attribute. Words that are not numbers count as zero, words beyond `KEY_MAX` are ignored.
    ///   - wordSize: The number of bits of an `unsigned long`.
    package init(capabilities text: String, wordSize: Int = UInt.bitWidth) {
        self.init()
        let parts = text.split { $0 == " " || $0 == "\n" }
        for (position, part) in parts.reversed().enumerated() {
            guard let word = UInt64(part, radix: 16) else { continue }
            for bit in 0..<wordSize where word >> UInt64(bit) & 1 == 1 {
                let code = position * wordSize + bit
                guard code < KeyCode.count else { return }
                insert(KeyCode(rawValue: UInt16(code)))
            }
        }
    }

    /// True if text can be typed with these keys: they include a letter or the space bar.
    ///
    /// Digits and Enter do not count: telephone keypads and camera shutters have them.
    package var canTypeText: Bool { !isDisjoint(with: KeyCode.typing) }
}

import CBluetooth
import Glibc

/// The address of a Bluetooth controller or device (BD_ADDR).
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// Six bytes, the first of the text first.
    private let bytes: [UInt8]

    /// - Parameter text: Six groups of two hexadecimal digits with colons between them. Anything else is nil.
    package init?(_ text: String) {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = groups.filter { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
            .compactMap { UInt8($0, radix: 16) }
        guard groups.count == 6, bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    /// As the kernel stores it: the last byte of the text first.
    var kernelAddress: bdaddr_t {
        bdaddr_t(b: (bytes[5], bytes[4], bytes[3], bytes[2], bytes[1], bytes[0]))
    }

    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

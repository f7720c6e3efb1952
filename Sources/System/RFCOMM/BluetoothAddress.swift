import CBluetooth

/// The address of a Bluetooth controller or device (BD_ADDR).
package struct BluetoothAddress: Equatable, Sendable, CustomStringConvertible {
    /// With capital letters.
    package let description: String

    /// - Parameter text: Six groups of two hexadecimal digits with colons between them. Anything else is nil.
    package init?(_ text: String) {
        // bachk(3) would stop at a NUL.
        guard text.utf8.count == 17, bachk(text) == 0 else { return nil }
        description = text.uppercased()
    }

    /// As the kernel stores it: the last byte of the text first.
    var kernelAddress: bdaddr_t {
        var address = bdaddr_t()
        str2ba(description, &address)
        return address
    }
}

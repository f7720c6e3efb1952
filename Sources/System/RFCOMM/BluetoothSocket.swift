import CBluetooth
import EventLoop
import Glibc

/// Connections of the kernel's Bluetooth sockets, close-on-exec and non-blocking.
enum BluetoothSocket {
    /// Starts a connection to the SDP server of a device, an L2CAP channel of packets (Bluetooth Core
    /// Specification, Volume 3, Part B, 2.1).
    ///
    /// - Returns: A socket that is writable as soon as the connection is made or has failed.
    /// - Throws: If the kernel has no Bluetooth sockets, or no such adapter.
    static func connectSDP(
        to device: BluetoothAddress,
        from adapter: BluetoothAddress
    ) throws(SystemError) -> OwnedDescriptor {
        let socket = try open(SOCK_SEQPACKET, BTPROTO_L2CAP, "query \(device) for its serial port")
        var address = sockaddr_l2()
        address.l2_family = sa_family_t(AF_BLUETOOTH)
        address.l2_bdaddr = adapter.kernelAddress
        try check(bind(socket, address), "use the Bluetooth adapter \(adapter)")
        address.l2_bdaddr = device.kernelAddress
        address.l2_psm = UInt16(SDP_PSM).littleEndian
        try check(connect(socket, address), "query \(device) for its serial port")
        return socket
    }

    /// Starts an RFCOMM connection that requires neither authentication nor a bond of its own
    /// (`BT_SECURITY_LOW`). A link between devices with Secure Simple Pairing is encrypted even so.
    ///
    /// - Parameters:
    ///   - device: Whose port.
    ///   - channel: The server channel, 1 to 30.
    ///   - adapter: The adapter to use.
    /// - Returns: A socket that is writable as soon as the connection is made or has failed.
    /// - Throws: If the kernel has no Bluetooth sockets, or no such adapter.
    static func connectRFCOMM(
        to device: BluetoothAddress,
        channel: UInt8,
        from adapter: BluetoothAddress
    ) throws(SystemError) -> OwnedDescriptor {
        let action = "connect to the serial port of \(device)"
        let socket = try open(SOCK_STREAM, BTPROTO_RFCOMM, action)
        var security = bt_security()
        security.level = UInt8(BT_SECURITY_LOW)
        let size = socklen_t(MemoryLayout<bt_security>.size)
        let result = setsockopt(socket.value, SOL_BLUETOOTH, BT_SECURITY, &security, size)
        guard result == 0 else { throw SystemError(action) }
        var address = sockaddr_rc()
        address.rc_family = sa_family_t(AF_BLUETOOTH)
        address.rc_bdaddr = adapter.kernelAddress
        try check(bind(socket, address), "use the Bluetooth adapter \(adapter)")
        address.rc_bdaddr = device.kernelAddress
        address.rc_channel = channel
        try check(connect(socket, address), action)
        return socket
    }

    private static func open(_ type: __socket_type, _ protocol: Int32, _ action: String) throws(SystemError)
        -> OwnedDescriptor
    {
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_BLUETOOTH, Int32(type.rawValue | flags), `protocol`)
        guard descriptor >= 0 else { throw SystemError(action) }
        return OwnedDescriptor(adopting: descriptor)
    }

    private static func check(_ result: Int32, _ action: String) throws(SystemError) {
        guard result == 0 || errno == EINPROGRESS else { throw SystemError(action) }
    }

    private static func bind(_ socket: borrowing OwnedDescriptor, _ address: some BitwiseCopyable) -> Int32 {
        withSocketAddress(address) { Glibc.bind(socket.value, $0, $1) }
    }

    private static func connect(_ socket: borrowing OwnedDescriptor, _ address: some BitwiseCopyable)
        -> Int32
    {
        withSocketAddress(address) { Glibc.connect(socket.value, $0, $1) }
    }

    private static func withSocketAddress<Address: BitwiseCopyable>(
        _ address: Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            // All socket addresses begin with the family (bind(2)); an empty buffer has no address.
            guard let start = bytes.baseAddress else { return -1 }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}

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
        try call(bind, socket.value, address, "use the Bluetooth adapter \(adapter)")
        address.l2_bdaddr = device.kernelAddress
        address.l2_psm = UInt16(SDP_PSM).littleEndian
        try call(connect, socket.value, address, "query \(device) for its serial port")
        return socket
    }

    /// Starts an RFCOMM connection that requires neither authentication nor a bond of its own
    /// (`BT_SECURITY_LOW`). A link between devices with Secure Simple Pairing is encrypted even so.
    ///
    /// The server channel is 1 to 30.
    ///
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
        try call(bind, socket.value, address, "use the Bluetooth adapter \(adapter)")
        address.rc_bdaddr = device.kernelAddress
        address.rc_channel = channel
        try call(connect, socket.value, address, action)
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

    /// Calls bind(2) or connect(2).
    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32,
        _ socket: Int32,
        _ address: some BitwiseCopyable,
        _ action: String
    ) throws(SystemError) {
        let result = withUnsafeBytes(of: address) { bytes in
            // All socket addresses begin with the family (bind(2)).
            let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return function(socket, start, socklen_t(bytes.count))
        }
        guard result == 0 || errno == EINPROGRESS else { throw SystemError(action) }
    }
}

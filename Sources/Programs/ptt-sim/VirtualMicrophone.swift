import EventLoop
import Glibc

/// A speaker microphone of classic Bluetooth with a serial port: its radio, its end of the port, and what bluetoothd
/// stores about it on disk.
@EventLoop
final class VirtualMicrophone {
    /// The Serial Port Profile.
    nonisolated static let serviceClass = "00001101-0000-1000-8000-00805f9b34fb"

    let number: Int
    let name: String
    let address: String
    let pressed = Array("+PTT=P".utf8)
    let released = Array("+PTT=R".utf8)

    var radio = VirtualButton.Radio.awake
    /// How many of the next connections to its port it refuses.
    var refusals = 0
    var isPaired = false
    var isTrusted = false
    var alias: String

    /// Its end of the open port. It survives bluetoothd, as the kernel's socket does.
    private var port: OwnedDescriptor?
    private var hangUp: DescriptorSource?

    var isKept: Bool { isPaired || isTrusted }

    /// - Parameters:
    ///   - number: Its number in commands, 1 to 9.
    ///   - name: What it calls itself.
    init(_ number: Int, name: String) {
        self.number = number
        self.name = name
        alias = name
        address = "00:1B:DC:00:01:0\(number)"
    }

    var isPortOpen: Bool { port != nil }

    /// Opens the port.
    ///
    /// - Returns: The host's end.
    /// - Throws: If there are no descriptors left.
    func openPort() throws(SystemError) -> OwnedDescriptor {
        let (near, far) = try UnixSocket.pair(.stream).release()
        let host = OwnedDescriptor(adopting: far)
        port = OwnedDescriptor(adopting: near)
        hangUp = try DescriptorSource(near, []) { [weak self] _ in self?.closePort() }
        return host
    }

    func closePort() {
        hangUp?.cancel()
        hangUp = nil
        port = nil
    }

    /// - Returns: Whether the port was open, and all bytes were sent.
    func write(_ bytes: [UInt8]) -> Bool {
        guard let number = port?.value else { return false }
        return Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func forget() {
        isPaired = false
        isTrusted = false
        alias = name
    }
}

import AccessoryCore
import EventLoop
import Glibc
import PTTMessages

/// A speaker microphone of classic Bluetooth with a serial port: its radio, and its end of the port. What it
/// sends is in its accessory file.
@EventLoop
final class VirtualSerialMicrophone {
    let number: Int
    let stored: StoredDevice
    /// The service class of its port, as bluetoothd writes it.
    let serviceClass: String

    var radio = VirtualButton.Radio.awake
    /// The number of the next connections to its port that it refuses.
    var refusals = 0
    private var held: HeldButtons

    /// Its end of the open port. It survives bluetoothd, as the kernel's socket does.
    private var port: OwnedDescriptor?
    private var hangUp: DescriptorSource?

    /// - Parameters:
    ///   - number: Its number in commands, 1 to 9.
    ///   - specification: Its accessory file and name.
    ///   - input: Its serial port.
    ///   - isKnown: Whether it was paired and trusted earlier.
    init(_ number: Int, _ specification: AccessorySpecification, _ input: SerialInput, isKnown: Bool) {
        self.number = number
        serviceClass = input.serviceClass.text
        held = HeldButtons(specification.definition)
        stored = StoredDevice(
            name: specification.simulatedName,
            address: "00:1B:DC:00:01:0\(number)",
            isKnown: isKnown
        )
    }

    /// - Returns: What it sends now. Empty if it never reports the release.
    /// - Throws: If it has no such button.
    func set(_ role: ButtonRole, isPressed: Bool) throws(CommandError) -> [UInt8] {
        try held.set(role, isPressed: isPressed).flatMap { action -> [UInt8] in
            guard case .receive(let bytes) = action else { return [] }
            return bytes
        }
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
}

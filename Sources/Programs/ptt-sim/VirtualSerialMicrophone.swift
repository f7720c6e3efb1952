import AccessoryCore
import DBus
import EventLoop
import Glibc
import PTTMessages

/// A speaker microphone of classic Bluetooth, with its end of a serial port.
@EventLoop
final class VirtualSerialMicrophone: VirtualAccessory {
    let number: Int
    let stored: StoredDevice
    /// The service class of its port, as bluetoothd writes it.
    let serviceClass: String

    var radio = Radio.awake
    /// The number of the next connections to its port that it refuses.
    var refusals = 0
    let definition: AccessoryDefinition
    var held: Set<ButtonRole> = []

    /// Its end of the open port. It survives bluetoothd, as the kernel's socket does.
    private var port: OwnedDescriptor?
    private var hangUp: DescriptorSource?

    /// `isKnown`: it was paired and trusted earlier.
    init(_ number: Int, _ specification: AccessorySpecification, _ input: SerialInput, isKnown: Bool) {
        self.number = number
        serviceClass = input.serviceClass.text
        definition = specification.definition
        stored = StoredDevice(
            name: specification.simulatedName,
            address: "00:1B:DC:00:01:0\(number)",
            isKnown: isKnown
        )
    }

    func isReported(to filter: DiscoveryFilter) -> Bool { filter.transport != "le" }

    func peripheral(on adapter: SimulatedAdapter, isFound: Bool) throws(BusError) -> SimulatedPeripheral {
        try SimulatedMicrophone(self, on: adapter, isFound: isFound)
    }

    func send(_ frames: [AccessoryExample.Step.Action], over adapter: SimulatedAdapter?)
        throws(SimulationError)
    {
        let bytes = frames.flatMap { frame -> [UInt8] in
            guard case .receive(let bytes) = frame else { return [] }
            return bytes
        }
        try send(raw: bytes, input: 0, over: adapter)
    }

    func send(raw bytes: [UInt8], input: Int, over adapter: SimulatedAdapter?) throws(SimulationError) {
        guard radio != .gone, write(bytes) else {
            throw SimulationError(description: "not sent: the serial port of microphone \(number) is closed")
        }
    }

    var isPortOpen: Bool { port != nil }

    /// Opens the port, and returns the host's end. Throws if there are no descriptors left.
    func openPort() throws(SystemError) -> OwnedDescriptor {
        let (near, far) = try UnixSocket.pair(.stream)
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

    /// - Returns: True if the port was open, and all bytes were sent.
    private func write(_ bytes: [UInt8]) -> Bool {
        guard let number = port?.value else { return false }
        return Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

import AccessoryCore
import DBus
import EventLoop

/// The `org.bluez.GattService1` objects of a button, with their characteristics.
@EventLoop
final class SimulatedServices {
    private unowned let device: SimulatedDevice
    private var services: [ExportedObject] = []
    private var characteristics: [SimulatedCharacteristic] = []

    /// Exports each service, and then its characteristics, with the handles that most buttons have.
    init(of device: SimulatedDevice) throws(BusError) {
        self.device = device
        var handle = 10
        for uuid in device.button.services {
            let path = try Self.path(device.path, "service", handle)
            handle += 1
            services.append(try device.adapter.daemon.connection.export(path, [interface(of: uuid)]))
            for characteristic in device.button.characteristics
            where characteristic.attribute.service.text == uuid {
                characteristics.append(
                    try SimulatedCharacteristic(
                        characteristic,
                        of: device,
                        service: path,
                        path: try Self.path(path, "char", handle)
                    )
                )
                // Its declaration, its value and its Client Characteristic Configuration.
                handle += 3
            }
        }
    }

    func remove() {
        for characteristic in characteristics { characteristic.remove() }
        for service in services { service.withdraw() }
    }

    func clientLeft(_ client: String) {
        for characteristic in characteristics { characteristic.clientLeft(client) }
    }

    /// The link is up.
    func linked() {
        for characteristic in characteristics { characteristic.linked() }
    }

    /// - Parameters:
    ///   - value: What the button sends.
    ///   - input: The number of the input in the file.
    /// - Returns: Whether notifications of that input are on.
    func notify(_ value: [UInt8], input: Int) -> Bool {
        characteristics.first { $0.input == input }?.notify(value) ?? false
    }

    private static func path(_ parent: ObjectPath, _ kind: String, _ handle: Int) throws(BusError)
        -> ObjectPath
    {
        let digits = String(handle + 0x10000, radix: 16).dropFirst()
        guard let path = parent.appending(kind + digits) else {
            throw .failed("\(parent) cannot have services")
        }
        return path
    }

    private func interface(of uuid: String) -> ExportedInterface {
        ExportedInterface(
            BlueZ.service,
            properties: [
                ExportedProperty("UUID", "s") { .string(uuid) },
                ExportedProperty("Device", "o") { [unowned self] in .objectPath(device.path) },
                ExportedProperty("Primary", "b") { .boolean(true) },
                ExportedProperty("Includes", "ao") { .array(of: "o", []) },
            ]
        )
    }
}

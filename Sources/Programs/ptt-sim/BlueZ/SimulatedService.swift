import DBus
import EventLoop

/// `org.bluez.GattService1` and the one `org.bluez.GattCharacteristic1` of a button.
@EventLoop
final class SimulatedService {
    private unowned let device: SimulatedDevice
    private let button: VirtualButton
    private let path: ObjectPath
    private var service: ExportedObject?
    private var characteristic: ExportedObject?
    /// Clients that have called StartNotify. They remain across a loss of the link.
    private var subscribers: [String] = []
    private var isNotifying = false
    /// The last value that bluetoothd received; it remains after a loss of the link.
    private var value: [UInt8] = []

    init(of device: SimulatedDevice) throws(BusError) {
        guard let path = device.path.appending("service000a"),
            let characteristicPath = path.appending("char000b")
        else { throw .failed("\(device.path) cannot have services") }
        self.device = device
        button = device.button
        self.path = path
        let connection = device.adapter.daemon.connection
        service = try connection.export(path, [serviceInterface])
        characteristic = try connection.export(characteristicPath, [characteristicInterface])
    }

    func remove() {
        characteristic?.withdraw()
        service?.withdraw()
    }

    func clientLeft(_ client: String) {
        guard subscribers.contains(client) else { return }
        subscribers.removeAll { $0 == client }
        if subscribers.isEmpty { setNotifying(false) }
    }

    /// The link is up: bluetoothd turns notifications on again for the existing subscribers.
    func linked() {
        if !subscribers.isEmpty { subscribed() }
    }

    /// bluetoothd emits the signal for a notification once per subscriber, and every client receives all of them.
    ///
    /// - Returns: Whether notifications are on.
    func notify(_ value: [UInt8]) -> Bool {
        guard isNotifying else { return false }
        self.value = value
        for _ in subscribers { characteristic?.emitPropertiesChanged(BlueZ.characteristic, "Value") }
        return true
    }

    /// The button's reaction when its Client Characteristic Configuration is written.
    private func subscribed() {
        setNotifying(true)
        if let value = button.valueOnSubscribe { _ = notify(value) }
    }

    private func setNotifying(_ isOn: Bool) {
        guard isOn != isNotifying else { return }
        isNotifying = isOn
        characteristic?.emitPropertiesChanged(BlueZ.characteristic, "Notifying")
    }

    private func startNotify(_ call: MethodInvocation) {
        guard !subscribers.contains(call.sender) else { return call.reply() }
        subscribers.append(call.sender)
        device.adapter.daemon.watch(call.sender)
        // Without a link it takes effect with the next one. For a second client nothing is written to the device.
        if device.isConnected, !isNotifying { subscribed() }
        call.reply()
    }

    private func stopNotify(_ call: MethodInvocation) {
        guard subscribers.contains(call.sender) else {
            return call.fail(.bluezFailed("No notify session started"))
        }
        clientLeft(call.sender)
        call.reply()
    }

    private func readValue(_ call: MethodInvocation) {
        guard device.isConnected else { return call.fail(.bluezFailed("Not connected")) }
        value = button.level
        // A read emits the same signal as a notification.
        characteristic?.emitPropertiesChanged(BlueZ.characteristic, "Value")
        call.reply(.bytes(value))
    }

    private func writeValue(_ call: MethodInvocation) {
        guard device.isConnected else { return call.fail(.bluezFailed("Not connected")) }
        guard button.kind.flags.contains(where: { $0.hasPrefix("write") }) else {
            return call.fail(.notSupported)
        }
        call.reply()
    }

    private var serviceInterface: ExportedInterface {
        ExportedInterface(
            BlueZ.service,
            properties: [
                ExportedProperty("UUID", "s") { [button] in .string(button.kind.service) },
                ExportedProperty("Device", "o") { [unowned self] in .objectPath(device.path) },
                ExportedProperty("Primary", "b") { .boolean(true) },
                ExportedProperty("Includes", "ao") { .array(of: "o", []) },
            ]
        )
    }

    private var characteristicInterface: ExportedInterface {
        ExportedInterface(
            BlueZ.characteristic,
            methods: [
                ExportedMethod("StartNotify") { [unowned self] in startNotify($0) },
                ExportedMethod("StopNotify") { [unowned self] in stopNotify($0) },
                ExportedMethod("ReadValue", inputs: ["options": "a{sv}"], outputs: ["value": "ay"]) {
                    [unowned self] in readValue($0)
                },
                ExportedMethod("WriteValue", inputs: ["value": "ay", "options": "a{sv}"]) {
                    [unowned self] in writeValue($0)
                },
            ],
            properties: [
                ExportedProperty("UUID", "s") { [button] in .string(button.kind.characteristic) },
                ExportedProperty("Service", "o") { [path] in .objectPath(path) },
                ExportedProperty("Value", "ay") { [unowned self] in .bytes(value) },
                ExportedProperty("Notifying", "b") { [unowned self] in .boolean(isNotifying) },
                ExportedProperty("Flags", "as") { [button] in .strings(button.kind.flags) },
            ]
        )
    }
}

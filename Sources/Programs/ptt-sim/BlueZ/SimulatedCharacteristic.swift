import AccessoryCore
import DBus
import EventLoop

/// `org.bluez.GattCharacteristic1`.
@EventLoop
final class SimulatedCharacteristic {
    private unowned let device: SimulatedDevice
    private let characteristic: VirtualCharacteristic
    private let service: ObjectPath
    private var object: ExportedObject?
    /// Clients that have called StartNotify. They remain across a loss of the link.
    private var subscribers: [String] = []
    private var isNotifying = false
    /// The last value that bluetoothd received; it remains after a loss of the link.
    private var value: [UInt8] = []

    init(
        _ characteristic: VirtualCharacteristic,
        of device: SimulatedDevice,
        service: ObjectPath,
        path: ObjectPath
    ) throws(BusError) {
        self.device = device
        self.characteristic = characteristic
        self.service = service
        object = try device.adapter.daemon.connection.export(path, [interface])
    }

    /// The number of the input in the file.
    var input: Int? { characteristic.input }

    func remove() { object?.withdraw() }

    func clientLeft(_ client: String) {
        guard subscribers.contains(client) else { return }
        subscribers.removeAll { $0 == client }
        if subscribers.isEmpty { setNotifying(false) }
    }

    /// The link is up: bluetoothd turns notifications on again for the existing subscribers.
    func linked() {
        if !subscribers.isEmpty { subscribed() }
    }

    /// bluetoothd emits the signal for a notification once per subscriber, and every client receives all of
    /// them.
    ///
    /// - Returns: True if notifications are on.
    func notify(_ value: [UInt8]) -> Bool {
        guard isNotifying else { return false }
        self.value = value
        for _ in subscribers { object?.emitPropertiesChanged(BlueZNames.characteristic, ["Value"]) }
        return true
    }

    /// The button's reaction when its Client Characteristic Configuration is written.
    private func subscribed() {
        setNotifying(true)
        if let value = characteristic.valueOnSubscribe { _ = notify(value) }
    }

    private func setNotifying(_ isOn: Bool) {
        guard isOn != isNotifying else { return }
        isNotifying = isOn
        object?.emitPropertiesChanged(BlueZNames.characteristic, ["Notifying"])
    }

    private func startNotify(_ call: MethodInvocation) {
        guard !subscribers.contains(call.sender) else { return call.reply() }
        subscribers.append(call.sender)
        device.adapter.daemon.watch(call.sender)
        // Without a link it takes effect with the next one. For a second client nothing is written to the
        // device.
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
        value = characteristic.value
        // A read emits the same signal as a notification.
        object?.emitPropertiesChanged(BlueZNames.characteristic, ["Value"])
        call.reply(.bytes(value))
    }

    private func writeValue(_ call: MethodInvocation) {
        guard device.isConnected else { return call.fail(.bluezFailed("Not connected")) }
        guard characteristic.flags.contains("write"), let bytes = call.arguments[0].asBytes else {
            return call.fail(.notSupported)
        }
        characteristic.value = bytes
        call.reply()
    }

    private var interface: ExportedInterface {
        ExportedInterface(
            BlueZNames.characteristic,
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
                ExportedProperty("UUID", "s") { [characteristic] in
                    .string(characteristic.attribute.characteristic.text)
                },
                ExportedProperty("Service", "o") { [service] in .objectPath(service) },
                ExportedProperty("Value", "ay") { [unowned self] in .bytes(value) },
                ExportedProperty("Notifying", "b") { [unowned self] in .boolean(isNotifying) },
                ExportedProperty("Flags", "as") { [characteristic] in .strings(characteristic.flags) },
            ]
        )
    }
}

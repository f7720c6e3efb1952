import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// The serial microphones in use, and their registrations with bluetoothd.
@EventLoop
final class SerialMicrophones {
    private let receivers: Receivers
    private let mirror: BlueZMirror
    private var microphones: [ObjectPath: SerialMicrophone] = [:]
    private var profiles: BlueZRegistration?

    init(_ receivers: Receivers, _ mirror: BlueZMirror) {
        self.receivers = receivers
        self.mirror = mirror
    }

    subscript(path: ObjectPath) -> SerialMicrophone? { microphones[path] }

    var paths: Set<ObjectPath> { Set(microphones.keys) }

    var hosts: [AccessoryHost] { microphones.values.map(\.host) }

    /// bluetoothd is running, and its objects are known.
    func appeared(_ connection: BusConnection) {
        guard let daemon = mirror.owner else { return }
        let kind = BlueZRegistration.Kind.serialPorts(of: daemon, log: receivers.log) { [weak self] in
            self?.updateAll()
        } handler: { [weak self] event, path, serviceClass in
            guard let microphone = self?.microphones[path], microphone.serviceClass.text == serviceClass
            else { return false }
            microphone.connector.received(event)
            return true
        }
        profiles = BlueZRegistration(kind, on: connection, log: receivers.log)
        updateProfiles()
    }

    /// bluetoothd or the bus has stopped.
    func lost() {
        profiles = nil
        updateAll()
    }

    /// The power of an adapter may have changed.
    func updateAll() {
        for microphone in microphones.values { update(microphone, microphone.use) }
    }

    /// Uses a device, or updates it.
    ///
    /// - Parameters:
    ///   - path: The device.
    ///   - definition: Its accessory file.
    ///   - input: Its serial port.
    ///   - origin: The origin of its presses.
    ///   - use: What was chosen for it, and whether its presses count.
    func use(
        _ path: ObjectPath,
        _ definition: AccessoryDefinition,
        _ input: SerialInput,
        _ origin: Origin,
        _ use: EnrolledDevices.Use
    ) {
        if let microphone = microphones[path] { return update(microphone, use) }
        receivers.log.notice("\(origin.name) (\(origin.identifier)) is used as \(definition.name)")
        let microphone = SerialMicrophone(
            path,
            definition,
            serviceClass: input.serviceClass,
            origin: origin,
            use: use,
            mirror,
            receivers
        )
        microphones[path] = microphone
        updateProfiles()
        update(microphone, use)
    }

    /// Ends a microphone. It stays in the list until another entry replaces it.
    func remove(_ path: ObjectPath, _ cause: EndCause) {
        guard let microphone = microphones.removeValue(forKey: path) else { return }
        microphone.end(cause)
        updateProfiles()
    }

    /// Ends every press, and closes the ports.
    func close() {
        for microphone in microphones.values { microphone.end() }
        microphones = [:]
        profiles = nil
    }

    /// A person asks for their accessories, or wants to talk.
    func wanted() {
        for microphone in microphones.values { microphone.connector.wanted() }
    }

    private func update(_ microphone: SerialMicrophone, _ use: EnrolledDevices.Use) {
        microphone.update(profiles?[microphone.serviceClass], use)
    }

    private func updateProfiles() {
        profiles?.update(Set(microphones.values.map(\.serviceClass)))
    }
}

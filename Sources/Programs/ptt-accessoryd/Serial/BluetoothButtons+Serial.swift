import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

// The devices whose accessory file is one of a serial microphone, and their registrations with bluetoothd.
extension BluetoothButtons {
    func review(
        _ path: ObjectPath,
        _ device: BlueZDevice,
        _ definition: AccessoryDefinition,
        _ input: SerialInput,
        _ use: EnrolledDevices.Use?
    ) {
        let origin = Origin(
            kind: .serialMicrophone,
            identifier: device.address,
            name: device.origin(named: use?.enrolment.name).name
        )
        let isCurrent =
            if let use, let microphone = microphones[path] {
                microphone.definition == definition && microphone.canChange(to: use.enrolment)
            } else {
                false
            }
        if !isCurrent { remove(path) }
        guard let use else {
            return device.isKnown
                ? list(unused: origin, at: path, profile: definition.name, mode: definition.mode)
                : forget(path)
        }
        // While a device is bonded that is not enrolled yet, its port is not to be opened: that bonds as
        // well, for that connection only.
        let isBonding =
            use.permission != .given && !device.isPaired && definition.connection.bonding != .never
        guard !isBonding else { return }
        if let earlier = unused.removeValue(forKey: path), earlier.kind != origin.kind {
            list.remove(earlier)
        }
        if let microphone = microphones[path] { return update(microphone, use) }
        log.notice("\(origin.name) (\(origin.identifier)) is used as \(definition.name)")
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

    /// bluetoothd is running, and its objects are known.
    func registerSerialPorts(on connection: BusConnection) {
        guard let daemon = mirror.owner else { return }
        let kind = BlueZRegistration.Kind.serialPorts(of: daemon, log: log) { [weak self] in
            self?.updateMicrophones()
        } handler: { [weak self] event, path, serviceClass in
            guard let connector = self?.microphones[path]?.connector,
                connector.serviceClass.text == serviceClass
            else { return false }
            connector.received(event)
            return true
        }
        profiles = BlueZRegistration(kind, on: connection, log: log)
        updateProfiles()
    }

    /// Their registrations have changed.
    func updateMicrophones() {
        for microphone in microphones.values { update(microphone, microphone.use) }
    }

    func updateProfiles() {
        profiles?.update(Set(microphones.values.map(\.connector.serviceClass)))
    }

    private func update(_ microphone: SerialMicrophone, _ use: EnrolledDevices.Use) {
        microphone.update(profiles?[microphone.connector.serviceClass], use)
    }
}

extension [ObjectPath: SerialMicrophone] {
    /// A person asks for their accessories, or wants to talk.
    @EventLoop
    func wanted() {
        for microphone in values { microphone.connector.wanted() }
    }
}

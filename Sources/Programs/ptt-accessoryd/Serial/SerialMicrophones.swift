import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// The serial microphones in use, and their registrations with bluetoothd.
@EventLoop
final class SerialMicrophones {
    private let core: PressForwarder
    private let list: AccessoryList
    private let mirror: BlueZMirror
    private let log: Logger
    private var microphones: [ObjectPath: SerialMicrophone] = [:]
    private var profiles: SerialProfiles?

    init(core: PressForwarder, list: AccessoryList, mirror: BlueZMirror, log: Logger) {
        self.core = core
        self.list = list
        self.mirror = mirror
        self.log = log
    }

    subscript(path: ObjectPath) -> SerialMicrophone? { microphones[path] }

    var paths: Set<ObjectPath> { Set(microphones.keys) }

    var hosts: [AccessoryHost] { microphones.values.map(\.host) }

    /// bluetoothd is running, and its objects are known.
    func appeared(_ connection: BusConnection) {
        guard let daemon = mirror.owner else { return }
        profiles = SerialProfiles(
            on: connection,
            daemon: daemon,
            log: log
        ) { [weak self] in
            self?.updateAll()
        } handler: { [weak self] event, path, serviceClass in
            guard let microphone = self?.microphones[path], microphone.serviceClass == serviceClass else {
                return false
            }
            microphone.handle(event)
            return true
        }
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
    ///   - input: Its serial port.
    ///   - use: What was chosen for it, and whether its presses count.
    ///   - make: Makes the accessory if the device was not used until now.
    func use(
        _ path: ObjectPath,
        _ input: SerialInput,
        _ use: EnrolledDevices.Use,
        make: () -> Accessory
    ) {
        let microphone =
            microphones[path]
            ?? SerialMicrophone(
                path,
                make(),
                use: use,
                serviceClass: input.serviceClass,
                mirror: mirror,
                core: core,
                list: list,
                log: log
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
        for microphone in microphones.values { microphone.wanted() }
    }

    private func update(_ microphone: SerialMicrophone, _ use: EnrolledDevices.Use) {
        microphone.update(profiles?[microphone.serviceClass], use)
    }

    private func updateProfiles() {
        profiles?.update(Set(microphones.values.map(\.serviceClass)))
    }
}

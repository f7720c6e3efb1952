import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Input
import Logging
import PTTMessages

/// Discovers Bluetooth devices, and input devices by a press of a key, while there is an observer.
///
/// BlueZ allows one discovery per client of the bus, so that all observers share one.
@EventLoop
final class Discovery {
    /// A client that has requested a discovery.
    @EventLoop
    final class Observer {
        fileprivate let found: @EventLoop (AccessoryInterface.Discovery) -> Void
        fileprivate let ended: @EventLoop (RequestFailure?) -> Void
        /// The devices that it has been notified of, by address.
        fileprivate var reported: [String: AccessoryInterface.Discovery] = [:]
        fileprivate var timer: TimerSource?

        fileprivate init(
            found: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
            ended: @escaping @EventLoop (RequestFailure?) -> Void
        ) {
            self.found = found
            self.ended = ended
        }
    }

    private let mirror: BlueZMirror
    private let headsets: Headsets
    private let files: AccessoryFolderWatch
    private let log: Logger
    private var observers: [Observer] = []
    /// The adapter that is to discover, and the one that was asked to last.
    private var (adapter, discovering): (ObjectPath?, ObjectPath?) = (nil, nil)
    /// True while bluetoothd has yet to answer.
    private var isAsked = false
    private var backOff = BackOff(limit: .seconds(60))
    /// While bluetoothd is to be asked again.
    private var retry: TimerSource?
    private var deviceWatch: Subscription?
    private var inputs: [AccessoryKeys] = []
    /// Why no Bluetooth device can be found.
    private var failure: RequestFailure?

    init(_ mirror: BlueZMirror, _ headsets: Headsets, _ files: AccessoryFolderWatch, log: Logger) {
        self.files = files
        self.mirror = mirror
        self.headsets = headsets
        self.log = log
    }

    /// Reports every device that BlueZ knows, before it returns, then each that is found, and again when more
    /// is known about it, and each key of an input device that is pressed. `ended` is called once at the end,
    /// unless ``stop(_:)`` was called; with the reason if nothing was found because Bluetooth is not
    /// available.
    ///
    /// - Throws: If Bluetooth is not available, unless an input device can be found.
    func start(
        for limit: Duration,
        found: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
        ended: @escaping @EventLoop (RequestFailure?) -> Void
    ) throws(RequestFailure) -> Observer {
        if observers.isEmpty {
            updateInputs(isWanted: true)
            do throws(RequestFailure) {
                failure = nil
                try startDiscovery()
            } catch {
                guard !inputs.isEmpty else {
                    updateInputs()
                    throw error
                }
                failure = error
            }
        }
        let observer = Observer(found: found, ended: ended)
        let timer = TimerSource { [weak self, weak observer] in
            if let observer { self?.finish(observer) }
        }
        timer.arm(after: limit)
        observer.timer = timer
        observers.append(observer)
        reportDevices(to: observer)
        return observer
    }

    func stop(_ observer: Observer) {
        observer.timer = nil
        observers.removeAll { $0 === observer }
        guard observers.isEmpty else { return }
        updateInputs()
        stopDiscovery()
    }

    /// Ends the discovery for all observers: connecting is slow while it runs.
    func stopAll() {
        for observer in observers { finish(observer) }
    }

    /// Reports what has changed of a device that BlueZ knows; nil: of any.
    func update(_ path: ObjectPath?) {
        guard !observers.isEmpty else { return }
        if adapter != nil, mirror.connection == nil { return stopAll() }
        for observer in observers {
            if let path { report(path, to: observer) } else { reportDevices(to: observer) }
        }
    }

    private func finish(_ observer: Observer) {
        stop(observer)
        observer.ended(observer.reported.isEmpty ? failure : nil)
    }

    private func reportDevices(to observer: Observer) {
        for path in mirror.objects.devices.keys.sorted() { report(path, to: observer) }
    }

    private func report(_ path: ObjectPath, to observer: Observer) {
        guard let device = mirror.objects.describe(path, files.catalog) else { return }
        report(device, to: observer)
    }

    private func report(_ device: AccessoryInterface.Discovery, to observer: Observer) {
        let before = observer.reported[device.address]
        // The signal strength changes all the time, which is not reported.
        let hasChanged = before.map {
            ($0.name, $0.profile, $0.isPaired, $0.rssi == nil, $0.key)
                != (device.name, device.profile, device.isPaired, device.rssi == nil, device.key)
        }
        guard hasChanged ?? true else { return }
        observer.reported[device.address] = device
        observer.found(device)
    }

    // MARK: - Input devices

    /// Opens those that have come, and closes those that have gone.
    func updateInputs() { updateInputs(isWanted: !observers.isEmpty) }

    private func updateInputs(isWanted: Bool) {
        // A serial port has one reader: ``Headsets`` closes it before it is opened here, and opens it
        // after it was closed here.
        if isWanted { headsets.isDiscovering = true }
        defer { headsets.isDiscovering = isWanted }
        let present = isWanted ? headsets.withHeldKeys : []
        inputs = present.compactMap { accessory in
            if let open = inputs.first(where: { $0.accessory == accessory }) { return open }
            do throws(SystemError) {
                return try AccessoryKeys(accessory) { [weak self] in self?.handle($0, of: accessory) }
            } catch {
                log.info("\(error)")
                return nil
            }
        }
    }

    private func handle(_ event: KeyDeviceEvent, of accessory: Headsets.Accessory) {
        switch event {
        case .key(let event) where event.edge == .pressed && !event.isResynchronised:
            for observer in observers { report(accessory.discovery(event.key), to: observer) }
        case .failed(let error): headsets.lost(accessory.node, error)
        case .key, .jackChanged, .eventsLost, .grabbed, .grabRefused, .vanished: break
        }
    }

    // MARK: - BlueZ

    private func startDiscovery() throws(RequestFailure) {
        adapter = try mirror.poweredAdapter().0
        deviceWatch = mirror.watchAllDevices()
        retry?.arm(after: .zero)
        updateDiscovery()
    }

    private func stopDiscovery() {
        (adapter, deviceWatch) = (nil, nil)
        updateDiscovery()
    }

    /// One call after the other: until bluetoothd has answered it refuses the opposite one.
    private func updateDiscovery() {
        guard let connection = mirror.connection else {
            // A discovery ends with the connection.
            discovering = nil
            return
        }
        guard !isAsked, adapter != discovering, let path = discovering ?? adapter else { return }
        isAsked = true
        if discovering == nil { begin(on: path, connection) } else { end(on: path) }
    }

    private func answered() {
        isAsked = false
        updateDiscovery()
    }

    private func begin(on path: ObjectPath, _ connection: BusConnection) {
        discovering = path
        setFilter(of: path, connection)
        connection.call(call("StartDiscovery", path)) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { log.error("\(error): only known devices are listed") }
            answered()
        }
    }

    /// Asks again until it is certain that no discovery is left: one that bluetoothd has not begun in time
    /// may begin later, and cannot be ended before.
    private func end(on path: ObjectPath) {
        (discovering, retry) = (nil, nil)
        guard let connection = mirror.connection else { return answered() }
        connection.call(call("StopDiscovery", path)) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result {
                log.debug("\(error)")
                // After any other failure there is none: it ends with the adapter and with our connection.
                if error.kind == .noReply || error.name == "org.bluez.Error.InProgress" {
                    return endLater(on: path, after: error)
                }
            }
            backOff.reset()
            answered()
        }
    }

    private func endLater(on path: ObjectPath, after error: BusError) {
        if adapter != nil { log.error("\(error): only known devices are listed") }
        let timer = TimerSource { [weak self] in self?.end(on: path) }
        timer.arm(after: backOff.next())
        retry = timer
    }

    /// Low Energy and classic by turns: serial microphones are classic. Most adapters look for one kind at a
    /// time, and begin with Low Energy, so that a classic device appears after five seconds.
    private func setFilter(of path: ObjectPath, _ connection: BusConnection) {
        let filter = BusValue.properties(["Transport": .string("auto"), "DuplicateData": .boolean(false)])
        let call = call("SetDiscoveryFilter", path, [filter])
        connection.call(call) { [log] result in
            // Without the filter the discovery finds other devices in addition.
            if case .failure(let error) = result { log.warning("\(error)") }
        }
    }

    private func call(_ member: String, _ path: ObjectPath, _ arguments: [BusValue] = []) -> MethodCall {
        BlueZ.call(member, of: BlueZ.adapter, on: path, arguments)
    }
}

extension BlueZMirror {
    /// The adapter to use.
    ///
    /// - Throws: ``RequestFailure/unavailable(_:)``.
    func poweredAdapter() throws(RequestFailure) -> (ObjectPath, BusConnection) {
        guard let connection else { throw .unavailable(unavailability) }
        guard !objects.adapters.isEmpty else {
            throw .unavailable("there is no Bluetooth adapter: plug one in")
        }
        let powered = objects.adapters.filter(\.value.isPowered).keys.sorted()
        guard let adapter = powered.first else {
            throw .unavailable(
                "Bluetooth is switched off: `bluetoothctl power on`, or `rfkill unblock bluetooth`"
            )
        }
        return (adapter, connection)
    }
}

extension BlueZObjects {
    /// A device as a discovery lists it.
    fileprivate func describe(_ path: ObjectPath, _ catalog: AccessoryCatalog) -> AccessoryInterface
        .Discovery?
    {
        guard let device = devices[path], !device.address.isEmpty else { return nil }
        let name = device.origin.name
        let profile =
            profiles(of: path, in: catalog).first ?? advertisingProfile(of: device, in: catalog)
            ?? catalog.hinted(byName: name)
        return AccessoryInterface.Discovery(
            address: device.address,
            name: name,
            rssi: device.rssi,
            profile: profile?.name,
            isPaired: device.isPaired,
            addressType: device.typeOfAddress
        )
    }
}

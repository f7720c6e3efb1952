import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Logging
import PTTMessages

/// Discovers Bluetooth devices while there is an observer.
///
/// BlueZ allows one discovery per client of the bus, so that all observers share one.
@EventLoop
final class Discovery {
    /// A client that has requested a discovery.
    @EventLoop
    final class Observer {
        fileprivate let found: @EventLoop (AccessoryInterface.Discovery) -> Void
        fileprivate let ended: @EventLoop () -> Void
        /// The devices that it has been notified of, by address.
        fileprivate var reported: [String: AccessoryInterface.Discovery] = [:]
        fileprivate var timer: TimerSource?

        fileprivate init(
            found: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
            ended: @escaping @EventLoop () -> Void
        ) {
            self.found = found
            self.ended = ended
        }
    }

    private static let callTimeout = Duration.seconds(10)

    private let mirror: BlueZMirror
    private let files: AccessoryFolderWatch
    private let log: Logger
    private var observers: [Observer] = []
    private var adapter: ObjectPath?
    private var deviceWatch: Subscription?

    init(_ mirror: BlueZMirror, _ files: AccessoryFolderWatch, log: Logger) {
        self.files = files
        self.mirror = mirror
        self.log = log
    }

    /// Reports every device that BlueZ knows, then each that is found, and again when more is known about it.
    ///
    /// - Parameters:
    ///   - limit: How long to discover.
    ///   - found: Called for each device; for known ones before this returns.
    ///   - ended: Called once at the end, unless ``stop(_:)`` was called.
    /// - Returns: The observer, for ``stop(_:)``.
    /// - Throws: ``BluetoothUnavailable``
    func start(
        for limit: Duration,
        found: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
        ended: @escaping @EventLoop () -> Void
    ) throws(BluetoothUnavailable) -> Observer {
        if observers.isEmpty { try startDiscovery() }
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
        if observers.isEmpty { stopDiscovery() }
    }

    /// Ends the discovery for all observers: connecting is slow while it runs.
    func stopAll() {
        for observer in observers { finish(observer) }
    }

    /// Reports what has changed of a device that BlueZ knows; nil: of any.
    func update(_ path: ObjectPath?) {
        guard !observers.isEmpty else { return }
        if mirror.connection == nil { return stopAll() }
        for observer in observers {
            if let path { report(path, to: observer) } else { reportDevices(to: observer) }
        }
    }

    private func finish(_ observer: Observer) {
        stop(observer)
        observer.ended()
    }

    private func reportDevices(to observer: Observer) {
        for path in mirror.objects.devices.keys.sorted() { report(path, to: observer) }
    }

    private func report(_ path: ObjectPath, to observer: Observer) {
        guard let device = mirror.objects.describe(path, files.catalog) else { return }
        let before = observer.reported[device.address]
        // The signal strength changes all the time, which is not reported.
        let hasChanged = before.map {
            ($0.name, $0.profile, $0.isPaired, $0.rssi == nil)
                != (device.name, device.profile, device.isPaired, device.rssi == nil)
        }
        guard hasChanged ?? true else { return }
        observer.reported[device.address] = device
        observer.found(device)
    }

    // MARK: - BlueZ

    private func startDiscovery() throws(BluetoothUnavailable) {
        let (adapter, connection) = try mirror.poweredAdapter()
        self.adapter = adapter
        deviceWatch = mirror.watchAllDevices()
        // Low Energy and classic by turns: serial microphones are classic. Most adapters look for one kind at
        // a time, and begin with Low Energy, so that a classic device appears after five seconds.
        let filter = BusValue.properties(["Transport": .string("auto"), "DuplicateData": .boolean(false)])
        connection.call(call("SetDiscoveryFilter", [filter]), timeout: Self.callTimeout) { [log] result in
            // Without the filter the discovery finds other devices in addition.
            if case .failure(let error) = result { log.warning("\(error)") }
        }
        connection.call(call("StartDiscovery"), timeout: Self.callTimeout) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            log.error("\(error): only known devices are listed")
        }
    }

    private func stopDiscovery() {
        deviceWatch = nil
        mirror.connection?.call(call("StopDiscovery"), timeout: Self.callTimeout) { [log] result in
            // It also ends with the adapter and with our connection.
            if case .failure(let error) = result { log.debug("\(error)") }
        }
        adapter = nil
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        BlueZ.call(member, of: BlueZ.adapter, on: adapter ?? BlueZ.root, arguments)
    }
}

/// Bluetooth is not available, with the reason.
struct BluetoothUnavailable: Error, Equatable {
    let reason: String
}

extension BlueZMirror {
    /// The adapter to use.
    func poweredAdapter() throws(BluetoothUnavailable) -> (ObjectPath, BusConnection) {
        guard let connection else { throw BluetoothUnavailable(reason: unavailability) }
        guard !objects.adapters.isEmpty else {
            throw BluetoothUnavailable(reason: "there is no Bluetooth adapter: plug one in")
        }
        let powered = objects.adapters.filter(\.value.isPowered).keys.sorted()
        guard let adapter = powered.first else {
            throw BluetoothUnavailable(
                reason: "Bluetooth is switched off: `bluetoothctl power on`, or `rfkill unblock bluetooth`"
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
        let profile = profiles(of: path, in: catalog).first ?? catalog.hinted(byName: name)
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

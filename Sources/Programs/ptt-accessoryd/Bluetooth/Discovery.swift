import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// Looks for Bluetooth devices while anybody wants to know.
///
/// BlueZ counts discoveries per client of the bus, so all who ask share one.
@EventLoop
final class Discovery {
    /// One who asks.
    @EventLoop
    final class Observer {
        fileprivate let found: @EventLoop (AccessoryInterface.Discovery) -> Void
        fileprivate let ended: @EventLoop () -> Void
        fileprivate var told: [String: AccessoryInterface.Discovery] = [:]
        fileprivate var timer: TimerSource?

        fileprivate init(
            found: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
            ended: @escaping @EventLoop () -> Void
        ) {
            self.found = found
            self.ended = ended
        }
    }

    private static let callLimit = Duration.seconds(10)

    private let mirror: BlueZMirror
    private let log: Logger
    private var observers: [Observer] = []
    private var adapter: ObjectPath?
    private var following: Subscription?

    init(_ mirror: BlueZMirror, log: Logger) {
        self.mirror = mirror
        self.log = log
    }

    /// Tells every device that BlueZ knows, and then each that is found, once and again when more is known of it.
    ///
    /// - Parameters:
    ///   - limit: When to stop.
    ///   - found: Called at once for what is known already.
    ///   - ended: Called once, unless ``stop(_:)`` comes first.
    /// - Returns: What ``stop(_:)`` takes.
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
        tellAll(to: observer)
        return observer
    }

    func stop(_ observer: Observer) {
        observer.timer = nil
        observers.removeAll { $0 === observer }
        if observers.isEmpty { stopDiscovery() }
    }

    /// Ends all searches, and says so to those who asked: connecting is slow while one runs.
    func stopAll() {
        for observer in observers { finish(observer) }
    }

    /// Looks at what BlueZ knows now.
    func update() {
        guard !observers.isEmpty else { return }
        if mirror.connection == nil { return stopAll() }
        for observer in observers { tellAll(to: observer) }
    }

    private func finish(_ observer: Observer) {
        stop(observer)
        observer.ended()
    }

    private func tellAll(to observer: Observer) {
        for path in mirror.objects.devices.keys.sorted() {
            guard let device = mirror.objects.describe(path) else { continue }
            let before = observer.told[device.address]
            // The strength of the signal changes all the time, and is no news.
            let isNews = before.map {
                ($0.name, $0.profile, $0.isPaired, $0.rssi == nil)
                    != (device.name, device.profile, device.isPaired, device.rssi == nil)
            }
            guard isNews ?? true else { continue }
            observer.told[device.address] = device
            observer.found(device)
        }
    }

    // MARK: - BlueZ

    private func startDiscovery() throws(BluetoothUnavailable) {
        let (adapter, connection) = try mirror.poweredAdapter()
        self.adapter = adapter
        following = mirror.followAllDevices()
        let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(false)])
        connection.call(call("SetDiscoveryFilter", [filter]), timeout: Self.callLimit) { [log] result in
            // Without the filter the search still finds what it is to find.
            if case .failure(let error) = result { log.warning("\(error)") }
        }
        connection.call(call("StartDiscovery"), timeout: Self.callLimit) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            log.error("\(error): only devices that are known already are shown")
        }
    }

    private func stopDiscovery() {
        following = nil
        mirror.connection?.call(call("StopDiscovery"), timeout: Self.callLimit) { [log] result in
            // It ends by itself with the adapter or with our connection.
            if case .failure(let error) = result { log.debug("\(error)") }
        }
        adapter = nil
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(
            to: BlueZ.name,
            path: adapter ?? BlueZ.root,
            interface: BlueZ.adapter,
            member: member,
            arguments: arguments,
            startsService: false
        )
    }
}

/// Bluetooth cannot be used now, and why.
struct BluetoothUnavailable: Error, Equatable {
    let reason: String
}

extension BlueZMirror {
    /// An adapter to work with.
    func poweredAdapter() throws(BluetoothUnavailable) -> (ObjectPath, BusConnection) {
        guard let connection else { throw BluetoothUnavailable(reason: absence) }
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
    /// A device as a scan shows it.
    fileprivate func describe(_ path: ObjectPath) -> AccessoryInterface.Discovery? {
        guard let device = devices[path], !device.address.isEmpty else { return nil }
        let name = device.origin.name
        let profile = profiles(of: path).first ?? AccessoryProfile.hinted(byName: name)
        return AccessoryInterface.Discovery(
            address: device.address,
            name: name,
            rssi: device.rssi,
            profile: profile?.name,
            isPaired: device.isPaired
        )
    }
}

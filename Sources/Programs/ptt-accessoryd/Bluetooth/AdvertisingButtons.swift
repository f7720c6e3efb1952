import AESCCM
import AccessoryCore
import DBus
import EventLoop
import JSON
import Logging
import PTTMessages

/// The buttons in use that advertise their presses.
///
/// They have no link, and BlueZ forgets such a device half a minute after its last press: they are known by
/// their address alone, and ready while bluetoothd monitors advertisements.
@EventLoop
final class AdvertisingButtons {
    private struct Button {
        let host: AccessoryHost
        let enrolment: Enrolment
    }

    /// The state of the reception of advertisements.
    private enum Reception: Equatable {
        case bluetoothLost
        /// bluetoothd has no monitors of advertisements.
        case unsupported
        /// It has not begun yet.
        case requested
        case active
    }

    private let receivers: Receivers
    private let mirror: BlueZMirror
    private lazy var counters = AdvertisedCounters(log: receivers.log)
    private var buttons: [String: Button] = [:]
    private var registration: BlueZRegistration?
    /// The adapters for which bluetoothd monitors advertisements.
    private var monitoring: Set<ObjectPath> = []
    private var reception = Reception.bluetoothLost

    /// Called when a button has become ready, or is not any more.
    var onChange: @EventLoop () -> Void = {}

    init(_ receivers: Receivers, _ mirror: BlueZMirror) {
        self.receivers = receivers
        self.mirror = mirror
    }

    /// True if no waiting helps.
    var isUnsupported: Bool { reception == .unsupported }

    var hosts: [AccessoryHost] { buttons.values.map(\.host) }

    /// The button as it is listed, if it is used.
    subscript(address: String) -> AccessoryDevice? { buttons[address.uppercased()]?.host.accessory.device }

    /// bluetoothd is running, and its adapters are known.
    func appeared(_ connection: BusConnection) {
        registration = BlueZRegistration(
            .advertisements { [weak self] key, isActive in
                if isActive { self?.monitoring.insert(key.manager) } else { self?.givenUp(key) }
                self?.update()
            },
            on: connection,
            log: receivers.log
        )
        update()
    }

    /// Another program has removed the monitor (`btmgmt monitor.remove`), or the adapter has refused it.
    private func givenUp(_ key: BlueZRegistration.Key) {
        monitoring.remove(key.manager)
        registration?.lost(key)
    }

    /// bluetoothd or the bus has stopped.
    func lost() {
        registration = nil
        monitoring = []
        update()
    }

    /// Uses these buttons, and no others.
    func use(_ wanted: [(AccessoryDefinition, EnrolledDevices.Use)]) {
        var unwanted = Set(buttons.keys)
        for (definition, use) in wanted {
            guard let address = use.enrolment.identity.bluetoothAddress else { continue }
            unwanted.remove(address)
            if let button = buttons[address], canKeep(button, definition, use) {
                if button.host.accessory.permission != use.permission {
                    button.host.handle(.permissionChanged(use.permission))
                }
                continue
            }
            end(address)
            add(address, definition, use)
        }
        for address in unwanted {
            if let origin = end(address) { receivers.list.remove(origin) }
        }
        update()
    }

    /// Who is paired again may count its presses from the begin: it is known by no counter then.
    private func canKeep(
        _ button: Button,
        _ definition: AccessoryDefinition,
        _ use: EnrolledDevices.Use
    ) -> Bool {
        let accessory = button.host.accessory
        let isPairedAgain =
            use.permission == EnrolledDevices.notEnrolled
            && accessory.permission != EnrolledDevices.notEnrolled
        return accessory.definition == definition && button.enrolment == use.enrolment && !isPairedAgain
    }

    private func add(_ address: String, _ definition: AccessoryDefinition, _ use: EnrolledDevices.Use) {
        let name = use.enrolment.name ?? definition.name
        let host = AccessoryHost(
            definition,
            origin: Origin(kind: .bluetoothButton, identifier: address, name: name.withBoundedMarks),
            enrolment: use.enrolment,
            permission: use.permission,
            receivers,
            counter: use.permission == EnrolledDevices.notEnrolled ? nil : counters[address]
        )
        receivers.log.notice("\(name) (\(address)) is used as \(definition.name)")
        let key = BlueZ.root.appending("advertising_" + String(address.filter { $0 != ":" })) ?? BlueZ.root
        host.activityChanged = { [mirror] in mirror.keepAlive.set($0, for: key) }
        buttons[address] = Button(host: host, enrolment: use.enrolment)
        receivers.list.set(host.accessory.device)
        show(reception, to: host)
        // The objects that are there already may not be watched: they were not known as those of a button.
        for path in mirror.objects.paths(ofAddress: address) { mirror.watch(path, BlueZ.device) }
    }

    @discardableResult
    private func end(_ address: String) -> Origin? {
        guard let button = buttons.removeValue(forKey: address) else { return nil }
        button.host.handle(.stream(.closed(.linkLost)))
        button.host.end()
        return button.host.accessory.origin
    }

    func close() {
        for address in buttons.keys { end(address) }
        registration = nil
    }

    /// Handles what a device has advertised, if it is one of the buttons.
    func received(_ data: [UInt8], from address: String) {
        guard let button = buttons[address.uppercased()] else { return }
        do throws(BTHome.Failure) {
            let packet = try BTHome.packet(
                data,
                from: address,
                key: button.enrolment.bindKey,
                decrypt: AESCCM.decrypt
            )
            button.host.handle(.stream(.advertised(packet)))
            let isPress = packet.events.contains { $0 != 0 }
            counters.keep(button.host.accessory.counter, of: address.uppercased(), isPress: isPress)
            if let percent = packet.battery { button.host.checkBattery(percent) }
        } catch {
            let device = button.host.accessory.device
            receivers.list.publish(AccessoryEvent(.ignored, device: device, remark: error.reason))
        }
    }

    // MARK: - Reception

    /// An adapter, or what is registered with it, has changed.
    func update() {
        let managers = mirror.objects.advertisementMonitorManagers
        registration?.update(buttons.isEmpty ? [] : ["BTHome"], managers: managers)
        monitoring.formIntersection(managers)
        if buttons.isEmpty { monitoring = [] }
        let before = reception
        reception = presentReception(managers)
        guard reception != before else { return }
        for button in buttons.values { show(reception, to: button.host) }
        onChange()
    }

    private func presentReception(_ managers: Set<ObjectPath>) -> Reception {
        let powered = Set(mirror.objects.adapters.filter(\.value.isPowered).keys)
        if mirror.connection == nil || powered.isEmpty { return .bluetoothLost }
        if powered.isDisjoint(with: managers) { return .unsupported }
        return powered.isDisjoint(with: monitoring) ? .requested : .active
    }

    /// Up to BlueZ 5.86 its monitors of advertisements are among what it calls experimental.
    private static let needsExperimental =
        "bluetoothd does not listen for advertisements: write `Experimental = true` below [General] in "
        + "/etc/bluetooth/main.conf, and run `sudo systemctl restart bluetooth`"

    private func show(_ reception: Reception, to host: AccessoryHost) {
        switch reception {
        case .bluetoothLost: host.handle(.stream(.bluetoothLost))
        case .unsupported:
            host.handle(.stream(.closed(.linkLost)))
            host.handle(.stream(.unavailable(reason: Self.needsExperimental)))
        case .requested:
            host.handle(.stream(.closed(.linkLost)))
            let reason = "bluetoothd does not listen for its advertisements yet"
            host.handle(.stream(.unavailable(reason: reason)))
        case .active: host.handle(.stream(.opened))
        }
    }
}

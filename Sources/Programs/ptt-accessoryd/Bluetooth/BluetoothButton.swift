import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// One Bluetooth button that is enrolled, or is being enrolled: passes its events to its ``Accessory``, and performs the
/// effects.
@EventLoop
final class BluetoothButton {
    /// The last observed state of the device, to detect changes.
    private struct Observation: Equatable {
        /// Whether the link is up.
        var isUp = false
        var areServicesResolved = false
        /// The characteristic of each input of the definition, as far as the device has them.
        var characteristics: [ObjectPath?] = []
        /// Whether each input's notifications are on.
        var areNotifying: [Bool] = []

        var found: Set<Int> { Set(characteristics.indices.filter { characteristics[$0] != nil }) }
    }

    /// BlueZ 5.66 never answers if the button refuses the subscription.
    private static let subscribeTimeout = Duration.seconds(10)
    /// Later answers do not matter.
    private static let readTimeout = Duration.seconds(10)
    /// BlueZ gives up earlier.
    private static let connectTimeout = Duration.seconds(60)

    let profile: AccessoryDefinition
    private let path: ObjectPath
    private let mirror: BlueZMirror
    private let core: CoreConnection
    private let list: AccessoryList
    private var accessory: Accessory
    private var observed = Observation()
    /// For each input, incremented with each subscription, so that a late answer is recognised.
    private var subscriptions: [Int: Int] = [:]
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    /// Why the last subscription failed, until one succeeds.
    private(set) var subscriptionFailure: String?
    private let log: Logger
    private let settings: AccessorySettings
    private var diagnosis: LinkDiagnosis
    private var isBatteryLow = false
    /// What was chosen for the device, and whether its presses count.
    private(set) var use: EnrolledDevices.Use

    init(
        _ path: ObjectPath,
        device: BlueZDevice,
        profile: AccessoryDefinition,
        use: EnrolledDevices.Use,
        mirror: BlueZMirror,
        core: CoreConnection,
        list: AccessoryList,
        log: Logger
    ) {
        self.path = path
        self.profile = profile
        self.mirror = mirror
        self.core = core
        self.list = list
        self.log = log
        self.use = use
        diagnosis = LinkDiagnosis(bonding: profile.bonding)
        let enrolment = use.enrolment
        settings = AccessorySettings(
            path,
            profile,
            name: device.origin.name,
            restorations: enrolment.restorations,
            mirror: mirror,
            log: log
        )
        accessory = Accessory(
            profile,
            origin: device.origin(named: enrolment.name),
            mode: enrolment.mode,
            roles: enrolment.roles,
            gate: use.gate
        )
        list.set(accessory.device)
        update()
    }

    var origin: Origin { accessory.origin }

    var device: AccessoryDevice { accessory.device }

    /// Whether a press would be detected, whether or not it counts.
    var isReady: Bool { accessory.isReady }

    /// The bits that its settings have changed, as they were before.
    var restorations: [Enrolment.Restoration] { settings.restorations }

    /// Applies another enrolment.
    ///
    /// - Returns: False if that needs a new button: it has another mode or other roles.
    func change(to new: EnrolledDevices.Use) -> Bool {
        let before = use.enrolment
        guard new.enrolment.mode == before.mode, new.enrolment.roles == before.roles else { return false }
        let hasChanged = new.gate != use.gate
        use = new
        if hasChanged { handle(.gateChanged(new.gate)) }
        return true
    }

    /// Writes the accessory's settings back.
    ///
    /// - Returns: Whether that was possible.
    func restoreSettings() async -> Bool { await settings.restore() }

    /// The input whose notifications come from a characteristic.
    func input(at characteristic: ObjectPath) -> Int? {
        observed.characteristics.firstIndex { $0 == characteristic }
    }

    /// Compares the device with its last observation, and handles the changes. Called after each signal about it.
    func update() {
        guard let device = mirror.objects.devices[path] else { return }
        let name = device.origin(named: use.enrolment.name).name
        if name != accessory.origin.name { handle(.renamed(name)) }
        if let percent = mirror.objects.batteries[path]?.percentage { batteryChanged(percent) }
        updateLink(device)
        updateAdvice(device)
    }

    private func updateLink(_ device: BlueZDevice) {
        let before = observed
        observed = observe(device)
        watchCharacteristics(before.characteristics)
        if before.isUp, !observed.isUp {
            diagnosis.disconnected(at: .now, isBonded: device.isPaired)
            return handle(
                mirror.objects.isAdapterPowered(of: device) ? .disconnected(.linkLost) : .bluetoothLost
            )
        }
        guard observed.isUp else { return }
        if !before.isUp {
            diagnosis.connected(at: .now)
            handle(.connected)
        }
        updateServices(before)
        for (input, wasNotifying) in before.areNotifying.enumerated()
        where wasNotifying && !observed.areNotifying[input] {
            handle(.notificationsStopped(input))
        }
    }

    /// Handles a notification, or a signal that looks like one.
    func received(_ value: [UInt8], input: Int) {
        handle(.valueNotified(value, input: input))
    }

    /// bluetoothd has stopped: the state of the link is unknown.
    func bluetoothLost() {
        observed = Observation()
        handle(.bluetoothLost)
    }

    /// Ends its press and its subscriptions. It is not used afterwards.
    func end() {
        handle(.disconnected(.linkLost))
        timer.disarm()
        subscriptions = [:]
        for case let characteristic? in observed.characteristics { mirror.unwatch(characteristic) }
    }

    private func observe(_ device: BlueZDevice) -> Observation {
        let characteristics = profile.attributes.map { mirror.objects.characteristic(of: path, matching: $0) }
        return Observation(
            isUp: device.isConnected && mirror.objects.isAdapterPowered(of: device),
            areServicesResolved: device.areServicesResolved,
            characteristics: characteristics,
            areNotifying: characteristics.map { path in
                path.flatMap { mirror.objects.characteristics[$0] }?.isNotifying ?? false
            }
        )
    }

    private func watchCharacteristics(_ before: [ObjectPath?]) {
        guard observed.characteristics != before else { return }
        for case let path? in before where !observed.characteristics.contains(path) { mirror.unwatch(path) }
        for case let path? in observed.characteristics where !before.contains(path) {
            mirror.watch(path, BlueZ.characteristic)
        }
    }

    private func updateServices(_ before: Observation) {
        let wereResolved = before.isUp && before.areServicesResolved
        // A characteristic that was replaced is another one.
        let hasLostCharacteristic = zip(before.characteristics, observed.characteristics).contains {
            $0 != nil && $0 != $1
        }
        if wereResolved, !observed.areServicesResolved || hasLostCharacteristic { handle(.servicesGone) }
        let hasChanged = !wereResolved || observed.characteristics != before.characteristics
        guard observed.areServicesResolved, hasChanged else { return }
        handle(.servicesResolved(found: observed.found))
        diagnosis.resolved(hasButton: !observed.found.isEmpty)
        guard !wereResolved else { return }
        settings.connected()
        EventLoop.start { [weak self] in
            if let percent = await self?.settings.battery() { self?.batteryChanged(percent) }
        }
    }

    private func updateAdvice(_ device: BlueZDevice) {
        let advice = diagnosis.finding(isBonded: device.isPaired)?.advice(device.address)
        if advice != accessory.advice { handle(.adviceChanged(advice)) }
    }

    /// Below this charge a person should charge it or change its battery; above the other one it was done.
    private static let lowBattery = (low: 15, charged: 25)

    private func batteryChanged(_ percent: Int) {
        if percent != accessory.device.battery { handle(.batteryChanged(percent)) }
        if percent >= Self.lowBattery.charged { isBatteryLow = false }
        guard percent <= Self.lowBattery.low, !isBatteryLow else { return }
        isBatteryLow = true
        log.warning("\(origin.name): its battery is low (\(percent) %)")
        list.publish(AccessoryEvent(.batteryLow, device: accessory.device, value: "\(percent)"))
    }

    private func handle(_ event: Accessory.Event) {
        let wasTransmitting = accessory.isTransmitting
        for effect in accessory.handle(event, at: .now) { perform(effect) }
        switch (wasTransmitting, accessory.isTransmitting) {
        case (false, true):
            mirror.keepAlive.start(for: path)
            settings.show(isTransmitting: true)
        case (true, false):
            mirror.keepAlive.stop(for: path)
            settings.show(isTransmitting: false)
        case (true, true), (false, false): break
        }
    }

    private func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role): begin(attempt, role)
        case .end(let cause, let role): core.end(accessory.origin, cause, role: role)
        case .letGo(let role): core.end(accessory.origin, .released, role: role)
        case .report(let role, let isPressed): report(role, isPressed: isPressed)
        case .subscribe(let input): subscribe(input)
        case .fence(let input): read(input)
        case .disconnect: reconnect()
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private func begin(_ attempt: AttemptID, _ role: ButtonRole) {
        core.begin(accessory.origin, role: role) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let transmissionID): handle(.began(transmissionID, attempt))
            case .failure(let refusal):
                handle(.refused(refusal.code, attempt))
                let remark = "not transmitting: \(refusal)"
                list.publish(AccessoryEvent(.ignored, device: accessory.device, remark: remark))
            }
        }
    }

    private func report(_ role: ButtonRole, isPressed: Bool) {
        core.report(accessory.origin, role: role, isPressed: isPressed) { [weak self] reason in
            guard let self else { return }
            let remark = "not reported: \(reason)"
            list.publish(AccessoryEvent(.ignored, device: accessory.device, role: role, remark: remark))
        }
    }

    /// The core has ended a transmission, for example at the time limit.
    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        handle(.transmissionEnded(transmissionID, cause))
    }

    func coreLost() {
        handle(.coreLost)
    }

    /// Reads the value of an input. A late answer is recognised by the number of the subscription.
    private func read(_ input: Int) {
        let subscription = subscriptions[input]
        guard let characteristic = observed.characteristics[input], let connection = mirror.connection else {
            return handle(.fenceAnswered(input, .refused))
        }
        let call = MethodCall(
            to: BlueZ.name,
            path: characteristic,
            interface: BlueZ.characteristic,
            member: "ReadValue",
            arguments: [.properties([:])],
            startsService: false
        )
        connection.call(call, timeout: Self.readTimeout) { [weak self] result in
            guard let self, subscription == subscriptions[input], self.input(at: characteristic) == input
            else { return }
            // Why it is refused does not matter: most of these buttons have no value to read.
            let value = (try? result.get())?.first?.asBytes
            handle(.fenceAnswered(input, value.map { .value($0) } ?? .refused))
        }
    }

    /// Breaks the link. After `Disconnect`, BlueZ does not accept the device again before `Connect` was called, whether or
    /// not that call succeeds (`disable_auto_connect` in src/device.c).
    private func reconnect() {
        guard let connection = mirror.connection else { return }
        let path = path
        connection.call(Self.call("Disconnect", on: path), timeout: Self.subscribeTimeout) {
            [weak connection] _ in
            // Its failure changes nothing: the machine repeats the order while the link is up.
            connection?.call(Self.call("Connect", on: path), timeout: Self.connectTimeout) { _ in
                // BlueZ connects by itself from now on.
            }
        }
    }

    private static func call(_ member: String, on path: ObjectPath) -> MethodCall {
        MethodCall(
            to: BlueZ.name,
            path: path,
            interface: BlueZ.device,
            member: member,
            startsService: false
        )
    }

    private func subscribe(_ input: Int) {
        let subscription = (subscriptions[input] ?? 0) + 1
        subscriptions[input] = subscription
        guard let characteristic = observed.characteristics[input], let connection = mirror.connection else {
            return handle(.notificationsFailed(input, reason: "the characteristic was removed"))
        }
        let call = MethodCall(
            to: BlueZ.name,
            path: characteristic,
            interface: BlueZ.characteristic,
            member: "StartNotify",
            startsService: false
        )
        let start = MonotonicInstant.now
        connection.call(call, timeout: Self.subscribeTimeout) { [weak self] result in
            guard let self, subscription == subscriptions[input], self.input(at: characteristic) == input
            else { return }
            switch result {
            case .success:
                subscriptionFailure = nil
                diagnosis.answered(after: .now - start)
                handle(.notificationsEnabled(input))
                if let device = mirror.objects.devices[path] { updateAdvice(device) }
            case .failure(let error):
                subscriptionFailure = error.description
                handle(.notificationsFailed(input, reason: error.description))
            }
        }
    }
}

extension BlueZDevice {
    /// The origin of its presses.
    var origin: Origin { origin(named: nil) }

    /// `chosen` is the name that it was enrolled with.
    func origin(named chosen: String?) -> Origin {
        let name = chosen ?? (alias.isEmpty ? address : alias)
        return Origin(kind: .bluetoothButton, identifier: address, name: name.withBoundedMarks)
    }
}

extension BlueZDevice {
    /// What it is compared with the accessory files by; `present` are the services that BlueZ has, beside the advertised
    /// ones.
    func description(with present: [String]) -> DeviceDescription {
        DeviceDescription(name: name, link: .bluetooth(address: address, services: uuids + present))
    }
}

extension BlueZObjects {
    /// The accessory files for GATT that match the advertised and the present services of a device, the best first.
    func profiles(of path: ObjectPath, in catalog: AccessoryCatalog) -> [AccessoryDefinition] {
        guard let device = devices[path] else { return [] }
        let present = services(of: path).map(\.uuid)
        let matching = catalog.ranked(for: device.description(with: present)).filter {
            !$0.attributes.isEmpty
        }
        // A device may have the service without the profile's characteristic.
        let complete = matching.filter { hasCharacteristic(of: path, matching: $0) }
        return complete + matching.filter { !complete.contains($0) }
    }

    func hasCharacteristic(of device: ObjectPath, matching profile: AccessoryDefinition) -> Bool {
        profile.attributes.contains { characteristic(of: device, matching: $0) != nil }
    }

    /// With several services or characteristics of one UUID the first, by their handles.
    func characteristic(of device: ObjectPath, matching attribute: GattAttribute) -> ObjectPath? {
        for service in services(of: device) where GattUUID(service.uuid) == attribute.service {
            let found = characteristics(ofService: service.path).first {
                GattUUID($0.uuid) == attribute.characteristic
            }
            if let found { return found.path }
        }
        return nil
    }
}

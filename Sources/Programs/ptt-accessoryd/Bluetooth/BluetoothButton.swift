import AccessoryCore
import DBus
import EventLoop
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

    let profile: AccessoryProfile
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
    /// While this is false, its presses are observed but begin nothing.
    var isEnrolled: Bool {
        didSet { if oldValue != isEnrolled { handle(.gateChanged(Self.gate(isEnrolled: isEnrolled))) } }
    }

    init(
        _ path: ObjectPath,
        device: BlueZDevice,
        profile: AccessoryProfile,
        isEnrolled: Bool,
        mirror: BlueZMirror,
        core: CoreConnection,
        list: AccessoryList
    ) {
        self.path = path
        self.profile = profile
        self.mirror = mirror
        self.core = core
        self.list = list
        self.isEnrolled = isEnrolled
        accessory = Accessory(
            profile.definition,
            origin: device.origin,
            gate: Self.gate(isEnrolled: isEnrolled)
        )
        list.set(accessory.device)
        update()
    }

    var origin: Origin { accessory.origin }

    var device: AccessoryDevice { accessory.device }

    /// The input whose notifications come from a characteristic.
    func input(at characteristic: ObjectPath) -> Int? {
        observed.characteristics.firstIndex { $0 == characteristic }
    }

    /// Compares the device with its last observation, and handles the changes. Called after each signal about it.
    func update() {
        guard let device = mirror.objects.devices[path] else { return }
        if device.origin.name != accessory.origin.name { handle(.renamed(device.origin.name)) }
        let before = observed
        observed = observe(device)
        watchCharacteristics(before.characteristics)
        if before.isUp, !observed.isUp {
            return handle(
                mirror.objects.isAdapterPowered(of: device) ? .disconnected(.linkLost) : .bluetoothLost
            )
        }
        guard observed.isUp else { return }
        if !before.isUp { handle(.connected) }
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
    }

    private func handle(_ event: Accessory.Event) {
        let wasTransmitting = accessory.isTransmitting
        for effect in accessory.handle(event, at: .now) { perform(effect) }
        switch (wasTransmitting, accessory.isTransmitting) {
        case (false, true): mirror.keepAlive.start(for: path)
        case (true, false): mirror.keepAlive.stop(for: path)
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
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private static func gate(isEnrolled: Bool) -> Gate {
        isEnrolled ? .open : .closed(reason: "not enrolled yet", cause: .stopped)
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
        connection.call(call, timeout: Self.subscribeTimeout) { [weak self] result in
            guard let self, subscription == subscriptions[input], self.input(at: characteristic) == input
            else { return }
            switch result {
            case .success:
                subscriptionFailure = nil
                handle(.notificationsEnabled(input))
            case .failure(let error):
                subscriptionFailure = error.description
                handle(.notificationsFailed(input, reason: error.description))
            }
        }
    }
}

extension BlueZDevice {
    /// The origin of its presses.
    var origin: Origin {
        let name = alias.isEmpty ? address : alias.withBoundedMarks
        return Origin(kind: .bluetoothButton, identifier: address, name: name)
    }
}

extension BlueZObjects {
    /// The profiles that match the advertised and the present services of a device, the best first.
    func profiles(of path: ObjectPath) -> [AccessoryProfile] {
        guard let device = devices[path] else { return [] }
        let present = services(of: path).map(\.uuid)
        let matching = AccessoryProfile.matching(services: device.uuids + present, name: device.alias)
        // A device may have the service without the profile's characteristic.
        let complete = matching.filter { hasCharacteristic(of: path, matching: $0) }
        return complete + matching.filter { !complete.contains($0) }
    }

    func hasCharacteristic(of device: ObjectPath, matching profile: AccessoryProfile) -> Bool {
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

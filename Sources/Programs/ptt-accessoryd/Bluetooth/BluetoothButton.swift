import AccessoryCore
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// One Bluetooth button that is enrolled, or is being enrolled: passes its events to its ``ButtonLink``, and performs the effects.
@EventLoop
final class BluetoothButton {
    /// The last observed state of the device, to detect changes.
    private struct Observation: Equatable {
        /// Whether the link is up.
        var isUp = false
        var areServicesResolved = false
        var characteristic: ObjectPath?
        var isNotifying = false
    }

    /// BlueZ 5.66 never answers if the button refuses the subscription.
    private static let subscribeTimeout = Duration.seconds(10)

    private let path: ObjectPath
    private let mirror: BlueZMirror
    private let core: CoreConnection
    private let list: AccessoryList
    private var link: ButtonLink
    private var observed = Observation()
    /// Incremented with each subscription, so that a late answer is recognised.
    private var subscription = 0
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    /// Why the last subscription failed, until one succeeds.
    private(set) var subscriptionFailure: String?
    /// The transmission of its present press.
    private var transmission: TransmissionID?
    /// While this is false, its presses are observed but begin nothing.
    var isEnrolled: Bool {
        didSet { if oldValue, !isEnrolled, link.device.isPressed { end(.linkLost) } }
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
        self.mirror = mirror
        self.core = core
        self.list = list
        self.isEnrolled = isEnrolled
        link = ButtonLink(origin: device.origin, profile: profile)
        list.set(link.device)
        update()
    }

    var profile: AccessoryProfile { link.profile }

    var origin: Origin { link.origin }

    var device: AccessoryDevice { link.device }

    /// The characteristic whose notifications report this button.
    var characteristic: ObjectPath? { observed.characteristic }

    /// Compares the device with its last observation, and handles the changes. Called after each signal about it.
    func update() {
        guard let device = mirror.objects.devices[path] else { return }
        if device.origin.name != link.origin.name { handle(.renamed(device.origin.name)) }
        let before = observed
        observed = observe(device)
        if observed.characteristic != before.characteristic {
            characteristicChanged(from: before.characteristic)
        }
        if before.isUp, !observed.isUp {
            return handle(
                mirror.objects.isAdapterPowered(of: device) ? .disconnected(.linkLost) : .bluetoothLost
            )
        }
        guard observed.isUp else { return }
        if !before.isUp { handle(.connected) }
        updateServices(before)
        if before.isNotifying, !observed.isNotifying { handle(.notificationsStopped) }
    }

    /// Handles a notification, or a signal that looks like one.
    func received(_ value: [UInt8]) {
        handle(.valueNotified(value))
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
        subscription += 1
        if let characteristic = observed.characteristic { mirror.unwatch(characteristic) }
    }

    private func observe(_ device: BlueZDevice) -> Observation {
        let characteristic = mirror.objects.characteristic(of: path, matching: link.profile)
        return Observation(
            isUp: device.isConnected && mirror.objects.isAdapterPowered(of: device),
            areServicesResolved: device.areServicesResolved,
            characteristic: characteristic,
            isNotifying: characteristic.flatMap { mirror.objects.characteristics[$0] }?.isNotifying ?? false
        )
    }

    private func characteristicChanged(from before: ObjectPath?) {
        if let before { mirror.unwatch(before) }
        if let characteristic = observed.characteristic {
            mirror.watch(characteristic, BlueZ.characteristic)
        }
    }

    private func updateServices(_ before: Observation) {
        let wereResolved = before.isUp && before.areServicesResolved
        let hasLostCharacteristic = before.characteristic != nil && observed.characteristic == nil
        if wereResolved, !observed.areServicesResolved || hasLostCharacteristic {
            return handle(.servicesGone)
        }
        let hasChanged = !wereResolved || observed.characteristic != before.characteristic
        guard observed.areServicesResolved, hasChanged else { return }
        handle(.servicesResolved(hasCharacteristic: observed.characteristic != nil))
    }

    private func handle(_ event: ButtonLink.Event) {
        for effect in link.handle(event, at: .now) { perform(effect) }
    }

    private func perform(_ effect: ButtonLink.Effect) {
        switch effect {
        case .begin: begin()
        case .end(let cause): end(cause)
        case .letGo: end(.released)
        case .subscribe: subscribe()
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private func begin() {
        guard isEnrolled else { return }
        core.begin(link.origin) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let transmissionID): began(transmissionID)
            case .failure(let refusal):
                let remark = "not transmitting: \(refusal)"
                list.publish(AccessoryEvent(.ignored, device: link.device, remark: remark))
            }
        }
    }

    private func began(_ transmissionID: TransmissionID) {
        // It may have been released meanwhile.
        guard link.device.isPressed else { return }
        transmission = transmissionID
        mirror.keepAlive.start(for: path)
    }

    private func end(_ cause: EndCause) {
        forgetTransmission()
        core.end(link.origin, cause)
    }

    /// The core has ended a transmission, for example at the time limit.
    func transmissionEnded(_ ended: TransmissionID?) {
        if ended == nil || ended == transmission { forgetTransmission() }
    }

    private func forgetTransmission() {
        transmission = nil
        mirror.keepAlive.stop(for: path)
    }

    private func subscribe() {
        subscription += 1
        let subscription = subscription
        guard let characteristic = observed.characteristic, let connection = mirror.connection else {
            return handle(.notificationsFailed(reason: "the characteristic was removed"))
        }
        let call = MethodCall(
            to: BlueZ.name,
            path: characteristic,
            interface: BlueZ.characteristic,
            member: "StartNotify",
            startsService: false
        )
        connection.call(call, timeout: Self.subscribeTimeout) { [weak self] result in
            guard let self, subscription == self.subscription, observed.characteristic == characteristic
            else { return }
            switch result {
            case .success:
                subscriptionFailure = nil
                handle(.notificationsEnabled)
            case .failure(let error):
                subscriptionFailure = error.description
                handle(.notificationsFailed(reason: error.description))
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
        let complete = matching.filter { characteristic(of: path, matching: $0) != nil }
        return complete + matching.filter { !complete.contains($0) }
    }

    func characteristic(of device: ObjectPath, matching profile: AccessoryProfile) -> ObjectPath? {
        for service in services(of: device) where GattUUID(service.uuid) == profile.service {
            let found = characteristics(ofService: service.path).first {
                GattUUID($0.uuid) == profile.characteristic
            }
            if let found { return found.path }
        }
        return nil
    }
}

import AccessoryCore
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// One trusted Bluetooth button: tells its ``ButtonLink`` what happens, and carries out what that decides.
@EventLoop
final class BluetoothButton {
    /// What was last seen of the device, to tell changes from repetitions.
    private struct Sight: Equatable {
        var isUp = false
        var areServicesResolved = false
        var characteristic: ObjectPath?
        var isNotifying = false
    }

    /// BlueZ 5.66 never answers if the button refuses the subscription.
    private static let subscribeLimit = Duration.seconds(10)

    private let path: ObjectPath
    private let mirror: BlueZMirror
    private let core: CoreConnection
    private let list: AccessoryList
    private var link: ButtonLink
    private var sight = Sight()
    /// Counts subscriptions, so that a late answer is recognised.
    private var subscription = 0
    private lazy var timer = TimerSource { [weak self] in self?.post(.timerFired) }
    /// Why the last subscription failed, until one succeeds.
    private(set) var subscriptionFailure: String?
    /// What its press has begun, until the release.
    private var transmission: TransmissionID?

    init(
        _ path: ObjectPath,
        _ device: BlueZDevice,
        _ profile: AccessoryProfile,
        mirror: BlueZMirror,
        core: CoreConnection,
        list: AccessoryList
    ) {
        self.path = path
        self.mirror = mirror
        self.core = core
        self.list = list
        link = ButtonLink(origin: device.origin, profile: profile)
        list.set(link.device)
        update()
    }

    var profile: AccessoryProfile { link.profile }

    var origin: Origin { link.origin }

    var device: AccessoryDevice { link.device }

    /// The characteristic whose values are this button's.
    var characteristic: ObjectPath? { sight.characteristic }

    /// Looks at the device and tells what is new. A signal about it has just come.
    func update() {
        guard let device = mirror.objects.devices[path] else { return }
        if device.origin.name != link.origin.name { post(.renamed(device.origin.name)) }
        let before = sight
        sight = look(at: device)
        if sight.characteristic != before.characteristic {
            characteristicChanged(from: before.characteristic)
        }
        if before.isUp, !sight.isUp {
            return post(
                mirror.objects.isAdapterPowered(of: device) ? .disconnected(.linkLost) : .bluetoothLost
            )
        }
        guard sight.isUp else { return }
        if !before.isUp { post(.connected) }
        tellServices(before)
        if before.isNotifying, !sight.isNotifying { post(.notificationsStopped) }
    }

    /// A notification, or something that looks like one.
    func received(_ value: [UInt8]) {
        post(.valueNotified(value))
    }

    /// bluetoothd is gone: nobody tells whether the link is still there.
    func bluetoothLost() {
        sight = Sight()
        post(.bluetoothLost)
    }

    /// Ends what it holds. It is not used after that.
    func end() {
        post(.disconnected(.linkLost))
        timer.disarm()
        subscription += 1
        if let characteristic = sight.characteristic { mirror.unfollow(characteristic) }
    }

    private func look(at device: BlueZDevice) -> Sight {
        let characteristic = mirror.objects.characteristic(of: path, fitting: link.profile)
        return Sight(
            isUp: device.isConnected && mirror.objects.isAdapterPowered(of: device),
            areServicesResolved: device.areServicesResolved,
            characteristic: characteristic,
            isNotifying: characteristic.flatMap { mirror.objects.characteristics[$0] }?.isNotifying ?? false
        )
    }

    private func characteristicChanged(from before: ObjectPath?) {
        if let before { mirror.unfollow(before) }
        if let characteristic = sight.characteristic { mirror.follow(characteristic, BlueZ.characteristic) }
    }

    private func tellServices(_ before: Sight) {
        let isAnew = before.isUp && before.areServicesResolved
        if isAnew, !sight.areServicesResolved || (before.characteristic != nil && sight.characteristic == nil)
        {
            return post(.servicesGone)
        }
        guard sight.areServicesResolved, !isAnew || sight.characteristic != before.characteristic else {
            return
        }
        post(.servicesResolved(hasCharacteristic: sight.characteristic != nil))
    }

    private func post(_ event: ButtonLink.Event) {
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
        // It may have been let go meanwhile.
        guard link.device.isPressed else { return }
        transmission = transmissionID
        mirror.keepAlive.start(for: path)
    }

    private func end(_ cause: EndCause) {
        forgetTransmission()
        core.end(link.origin, cause)
    }

    /// The core has ended one, at the time limit for example.
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
        guard let characteristic = sight.characteristic, let connection = mirror.connection else {
            return post(.notificationsFailed(reason: "the characteristic has gone"))
        }
        let call = MethodCall(
            to: BlueZ.name,
            path: characteristic,
            interface: BlueZ.characteristic,
            member: "StartNotify",
            startsService: false
        )
        connection.call(call, timeout: Self.subscribeLimit) { [weak self] result in
            guard let self, subscription == self.subscription, sight.characteristic == characteristic else {
                return
            }
            switch result {
            case .success:
                subscriptionFailure = nil
                post(.notificationsEnabled)
            case .failure(let error):
                subscriptionFailure = error.description
                post(.notificationsFailed(reason: error.description))
            }
        }
    }
}

extension BlueZDevice {
    /// What its presses come from.
    var origin: Origin {
        let name = alias.isEmpty ? address : alias.withBoundedMarks
        return Origin(kind: .bluetoothButton, identifier: address, name: name)
    }
}

extension BlueZObjects {
    /// The profiles that a device fits by what it advertised and by what it has, the best first.
    func profiles(of path: ObjectPath) -> [AccessoryProfile] {
        guard let device = devices[path] else { return [] }
        let present = services.filter { $0.key.isWithin(path) }.map(\.value.uuid)
        let fitting = AccessoryProfile.matching(services: device.uuids + present, name: device.alias)
        // A service can be there without the characteristic that matters.
        let complete = fitting.filter { characteristic(of: path, fitting: $0) != nil }
        return complete + fitting.filter { !complete.contains($0) }
    }

    func characteristic(of device: ObjectPath, fitting profile: AccessoryProfile) -> ObjectPath? {
        for (service, value) in services
        where GattUUID(value.uuid) == profile.service && service.isWithin(device) {
            let found = characteristics.first {
                GattUUID($0.value.uuid) == profile.characteristic && $0.key.isWithin(service)
            }
            if let found { return found.key }
        }
        return nil
    }
}

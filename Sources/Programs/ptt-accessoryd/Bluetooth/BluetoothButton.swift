import AccessoryCore
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// One Bluetooth button that is enrolled, or is being enrolled: its link, whose events go to its machine.
@EventLoop
final class BluetoothButton {
    /// The last observed state of the device, to detect changes.
    struct Observation: Equatable {
        /// True if the link is up.
        var isUp = false
        /// `ServicesResolved`. bluetoothd clears it when either link of a device ends, although the services
        /// of the other one remain.
        var isResolvedReported = false
        /// True if the services can be used, as far as is known.
        var areServicesResolved = false
        /// The characteristic of each input of the definition, as far as the device has them.
        var characteristics: [ObjectPath?] = []
        /// True for each input whose notifications are on.
        var areNotifying: [Bool] = []

        var found: Set<Int> { Set(characteristics.indices.filter { characteristics[$0] != nil }) }
    }

    /// BlueZ gives up earlier.
    static let connectTimeout = Duration.seconds(60)
    private static let linkCheckInterval = Duration.seconds(1)

    let profile: AccessoryDefinition
    let path: ObjectPath
    let mirror: BlueZMirror
    let host: AccessoryHost
    var observed = Observation()
    /// For each input, incremented with each subscription, so that a late answer is recognised.
    var subscriptions: [Int: Int] = [:]
    /// Why the last subscription failed, until one succeeds.
    var subscriptionFailure: String?
    let settings: AccessorySettings
    var diagnosis: LinkDiagnosis
    private lazy var linkCheck = TimerSource { [weak self] in self?.checkLink() }
    /// The choice for the device, and whether its presses count.
    private(set) var use: EnrolledDevices.Use

    init(
        _ path: ObjectPath,
        device: BlueZDevice,
        profile: AccessoryDefinition,
        use: EnrolledDevices.Use,
        _ mirror: BlueZMirror,
        _ receivers: Receivers
    ) {
        self.path = path
        self.profile = profile
        self.mirror = mirror
        self.use = use
        diagnosis = LinkDiagnosis(bonding: profile.connection.bonding)
        let enrolment = use.enrolment
        settings = AccessorySettings(
            path,
            profile,
            name: device.origin.name,
            restorations: enrolment.restorations,
            mirror: mirror,
            log: receivers.log
        )
        let origin = device.origin(named: enrolment.name)
        host = AccessoryHost(
            profile,
            origin: origin,
            enrolment: enrolment,
            permission: use.permission,
            receivers
        )
        host.link = self
        host.activityChanged = { [mirror, weak self] isActive in
            mirror.keepAlive.set(isActive, for: path)
            self?.watchLink(isActive)
        }
        receivers.list.set(host.accessory.device)
        update()
    }

    var origin: Origin { host.accessory.origin }

    var device: AccessoryDevice { host.accessory.device }

    /// True if a press would be detected, whether or not it counts.
    var isReady: Bool { host.accessory.isReady }

    /// Applies another enrolment.
    ///
    /// - Returns: False if that needs a new button: it has another mode or other roles.
    func change(to new: EnrolledDevices.Use) -> Bool {
        let before = use.enrolment
        guard new.enrolment.mode == before.mode, new.enrolment.roles == before.roles else { return false }
        let hasChanged = new.permission != use.permission
        use = new
        if hasChanged { host.handle(.permissionChanged(new.permission)) }
        return true
    }

    /// The input whose notifications come from a characteristic.
    func input(at characteristic: ObjectPath) -> Int? {
        observed.characteristics.firstIndex { $0 == characteristic }
    }

    /// Compares the device with its last observation, and handles the changes. Called after each signal about
    /// it.
    func update() {
        guard let device = mirror.objects.devices[path] else { return }
        let name = device.origin(named: use.enrolment.name).name
        if name != origin.name { host.handle(.renamed(name)) }
        if let percent = mirror.objects.batteries[path]?.percentage { batteryChanged(percent) }
        updateLink(device)
        updateAdvice(device)
    }

    func updateLink(_ device: BlueZDevice) {
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
            handle(device.mayHaveClassicLink ? .sharedLinkConnected : .connected)
        }
        updateServices(before)
        // Whatever has changed, its link may be there now.
        for input in host.accessory.unlinkedInputs { handle(.notificationsEnabled(input)) }
        for (input, wasNotifying) in before.areNotifying.enumerated()
        where wasNotifying && !observed.areNotifying[input] {
            handle(.notificationsStopped(input))
        }
    }

    /// While another link is up, bluetoothd reports the end of the button's link only by clearing
    /// `ServicesResolved` (`device_remove_connection` in src/device.c). Where the link of the sound has ended
    /// and come back by itself, that is cleared already, and nothing reports the end: while a release is
    /// waited for, a read tells.
    private func watchLink(_ isNeeded: Bool) {
        guard isNeeded, observed.areServicesResolved, !observed.isResolvedReported else {
            return linkCheck.disarm()
        }
        linkCheck.arm(after: Self.linkCheckInterval)
    }

    private func checkLink() {
        guard let connection = mirror.connection,
            let characteristic = observed.characteristics.lazy.compactMap({ $0 }).first
        else { return }
        let call = BlueZ.call("ReadValue", of: BlueZ.characteristic, on: characteristic, [.properties([:])])
        connection.call(call) { [weak self] result in
            guard let self, linkCheck.isArmed else { return }
            guard case .failure(let error) = result, error.isNotConnected else {
                return linkCheck.arm(after: Self.linkCheckInterval)
            }
            handle(.servicesGone)
            handle(.servicesResolved(found: observed.found))
        }
    }

    /// bluetoothd has stopped: the state of the link is unknown.
    func bluetoothLost() {
        observed = Observation()
        handle(.bluetoothLost)
    }

    /// Ends its press and its subscriptions. It is not used afterwards.
    func end(_ cause: EndCause = .linkLost) {
        handle(.disconnected(cause))
        host.end()
        subscriptions = [:]
        for case let characteristic? in observed.characteristics {
            mirror.notifications.stop(characteristic, for: self)
            mirror.unwatch(characteristic)
        }
    }

    func observe(_ device: BlueZDevice) -> Observation {
        let characteristics = profile.attributes.map { mirror.objects.characteristic(of: path, matching: $0) }
        return Observation(
            isUp: device.isConnected && mirror.objects.isAdapterPowered(of: device),
            isResolvedReported: device.areServicesResolved,
            areServicesResolved: device.areServicesResolved
                || device.mayHaveClassicLink && characteristics.contains { $0 != nil },
            characteristics: characteristics,
            areNotifying: characteristics.map { path in
                path.flatMap { mirror.objects.gattObjects[$0] }?.isNotifying ?? false
            }
        )
    }

    func watchCharacteristics(_ before: [ObjectPath?]) {
        guard observed.characteristics != before else { return }
        for case let path? in before where !observed.characteristics.contains(path) { mirror.unwatch(path) }
        for case let path? in observed.characteristics where !before.contains(path) {
            mirror.watch(path, BlueZ.characteristic)
        }
    }

    func updateServices(_ before: Observation) {
        let wereResolved = before.isUp && before.areServicesResolved
        // A characteristic that was replaced is another one.
        let hasLostCharacteristic = zip(before.characteristics, observed.characteristics).contains {
            $0 != nil && $0 != $1
        }
        let isOtherLink = wereResolved && observed.isResolvedReported != before.isResolvedReported
        if wereResolved, isOtherLink || !observed.areServicesResolved || hasLostCharacteristic {
            handle(.servicesGone)
        }
        let hasChanged =
            !wereResolved || isOtherLink || observed.characteristics != before.characteristics
        guard observed.areServicesResolved, hasChanged else { return }
        handle(.servicesResolved(found: observed.found))
        diagnosis.resolved(hasButton: !observed.found.isEmpty)
        guard !wereResolved || isOtherLink else { return }
        settings.connected()
        EventLoop.start { [weak self] in
            if let percent = await self?.settings.battery() { self?.batteryChanged(percent) }
        }
    }

    func updateAdvice(_ device: BlueZDevice) {
        let advice = diagnosis.advice(device.address, isBonded: device.isPaired)
        if advice != host.accessory.advice { host.handle(.adviceChanged(advice)) }
    }

    func batteryChanged(_ percent: Int) {
        if percent != device.battery { host.handle(.batteryChanged(percent)) }
        host.checkBattery(percent)
    }

    func handle(_ event: Accessory.GattEvent) {
        host.handle(.gatt(event))
    }
}

import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// Pairs and trusts a Bluetooth button, and removes it again.
@EventLoop
final class Pairing {
    static let connectTimeout = Duration.seconds(30)
    static let connectAttempts = 3
    static let servicesTimeout = Duration.seconds(20)
    static let bondTimeout = Duration.seconds(60)
    static let readyTimeout = Duration.seconds(15)
    /// For bluetoothd to report what it has done.
    static let changeTimeout = Duration.seconds(10)
    /// To take an earbud out, and to put it in again.
    static let wearTime = Duration.seconds(10)
    /// For the client to write a file.
    static let enrolTimeout = Duration.seconds(30)

    let buttons: BluetoothButtons
    let discovery: Discovery
    let enrolled: EnrolledDevices
    let log: Logger
    var isBusy = false
    /// While a device is paired that may be bonded.
    var agent: PairingAgent?

    init(_ buttons: BluetoothButtons, _ discovery: Discovery, _ enrolled: EnrolledDevices, log: Logger) {
        self.buttons = buttons
        self.discovery = discovery
        self.enrolled = enrolled
        self.log = log
    }

    /// Connects the device, bonds with it if its profile requires that, trusts it, and waits until its
    /// presses would count.
    func pair(_ address: String) async throws(RequestFailure) -> AccessoryDevice {
        try await begin(with: Enrolment(DeviceIdentity(bluetoothAddress: address)))
        defer { end() }
        var target = try await find(address)
        return try await prepare(&target)
    }

    /// The press that is observed, while a device is tested.
    var test: (identifier: String, ButtonTest)?

    /// The device is used from now on, but its presses begin nothing.
    func begin(with candidate: Enrolment) async throws(RequestFailure) {
        guard !isBusy else { throw .failed("another device is being paired: wait until that is done") }
        isBusy = true
        enrolled.candidate = candidate
    }

    func end() {
        enrolled.candidate = nil
        isBusy = false
    }

    /// Connects, bonds and trusts a device, waits until its presses would count, and returns its entry in the
    /// list. The address of the target becomes its identity address, if it hides that until it is bonded.
    func prepare(_ target: inout Target) async throws(RequestFailure) -> AccessoryDevice {
        discovery.stopAll()
        defer {
            agent?.unregister()
            agent = nil
        }
        if let definition = try definition(of: target) {
            switch definition.input {
            case .advertisements: return try await prepareAdvertising(target, definition)
            case .serial: return try await prepareSerial(target, definition)
            case .gatt, .keys: break
            }
        }
        let expected = buttons.profile(of: target.path, enrolled.candidate)
        if expected == nil, let entry = buttons.entry(of: target.address), entry.kind == .bluetoothHeadset {
            // The desktop has paired it, and its media keys are there.
            return entry
        }
        // From before the connection on: a device may request a bond as soon as it is connected.
        if expected?.connection.bonding != .never { await registerAgent(target) }
        try await connect(target)
        if let definition = try definition(of: target), case .serial = definition.input {
            return try await prepareSerial(target, definition)
        }
        let profile = try await profile(of: target)
        let bonding = profile.connection.bonding
        let isBonded = try device(target).isPaired
        let isPrivate = try device(target).hasPrivateAddress
        if isPrivate, bonding == .never { throw .failed(Self.cannotBeRecognised) }
        if bonding == .required || isPrivate, !isBonded { try await bond(target) }
        if isPrivate { try await identify(&target) }
        try await trust(target)
        var button = await readiness(of: target)
        if button?.isReady != true, bonding == .ifRequested, !(try device(target).isPaired) {
            // Some buttons request a bond by refusing the subscription over an unencrypted link.
            try await bond(target)
            button = await readiness(of: target, isLastTry: true)
        }
        if let button, button.isReady { return button.device }
        let reason = button?.subscriptionFailure ?? button?.device.remark ?? "it did not answer"
        throw .failed(
            "it is trusted, but its notifications cannot be turned on (\(reason)): switch it off and on; "
                + "if that does not help, `pttctl repair \(target.address)`"
        )
    }

    /// Removes a device and its bond.
    ///
    /// - Returns: A note of what could not be done, for people.
    func forget(_ address: String) async throws(RequestFailure) -> String? {
        let target = try await find(address)
        guard let adapter = try device(target).adapter else {
            throw .failed("BlueZ reports no adapter for \(address)")
        }
        let remark = await restoreSettings(target)
        try await removeDevice(target.path, from: adapter)
        _ = await buttons.changes.wait(for: Self.changeTimeout) { [mirror = buttons.mirror] in
            mirror.objects.devices[target.path] == nil
        }
        return remark
    }

    func restoreSettings(_ target: Target) async -> String? {
        guard let button = buttons[target.path] else { return nil }
        let identity = DeviceIdentity(bluetoothAddress: target.address)
        let restorations = enrolled.use(of: identity)?.enrolment.restorations ?? []
        guard !restorations.isEmpty || !button.settings.restorations.isEmpty else { return nil }
        if button.isReady, await button.settings.restore() { return nil }
        return "its settings could not be written back: it was not connected"
    }
}

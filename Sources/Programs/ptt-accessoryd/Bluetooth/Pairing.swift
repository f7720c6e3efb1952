import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// Pairs and trusts a Bluetooth button, and removes it again.
@EventLoop
final class Pairing {
    enum Failure: Error, Equatable {
        case unavailable(String)
        case notFound(String)
        case failed(String)
        /// Its press was not observed.
        case untested(String)

        var reason: String {
            switch self {
            case .unavailable(let reason), .notFound(let reason), .failed(let reason), .untested(let reason):
                reason
            }
        }
    }

    private static let connectTimeout = Duration.seconds(30)
    private static let connectAttempts = 3
    private static let servicesTimeout = Duration.seconds(20)
    private static let bondTimeout = Duration.seconds(60)
    static let readyTimeout = Duration.seconds(15)
    private static let callTimeout = Duration.seconds(10)
    /// For the client to write a file.
    private static let enrolTimeout = Duration.seconds(30)

    let buttons: BluetoothButtons
    private let discovery: Discovery
    let enrolled: EnrolledDevices
    private let log: Logger
    private var isBusy = false

    init(_ buttons: BluetoothButtons, _ discovery: Discovery, _ enrolled: EnrolledDevices, log: Logger) {
        self.buttons = buttons
        self.discovery = discovery
        self.enrolled = enrolled
        self.log = log
    }

    /// Connects the device, bonds with it if its profile requires that, trusts it, and waits until its presses would
    /// count.
    ///
    /// - Returns: The button.
    func pair(_ address: String) async throws(Failure) -> AccessoryDevice {
        try await begin(with: Enrolment(DeviceIdentity(bluetoothAddress: address)))
        defer { end() }
        return try await prepare(try await find(address))
    }

    /// Pairs a device, and observes a press and its release. Then waits until it is enrolled.
    ///
    /// - Parameters:
    ///   - request: What to pair.
    ///   - isWanted: False when the client is gone.
    ///   - report: Called for each step.
    /// - Throws: ``Failure``; nothing is enrolled then.
    func pairAndTest(
        _ request: AccessoryInterface.PairAndTestRequest,
        isWanted: @escaping @EventLoop () -> Bool,
        report: @escaping @EventLoop (AccessoryInterface.PairAndTestReply) -> Void
    ) async throws(Failure) {
        let identity = DeviceIdentity(bluetoothAddress: request.address)
        try await begin(with: Enrolment(identity, accessory: request.accessory, mode: request.mode))
        defer { end() }
        report(.init(.connecting))
        let target = try await find(request.address)
        _ = try await prepare(target)
        let test = try await tested(target, within: .seconds(request.seconds), isWanted: isWanted, report)
        guard isWanted() else { return }
        guard case .passed(_, let mode) = test.state else {
            throw .untested(test.failure(target.address) ?? "it was not tested")
        }
        // The mode of the file need not be repeated in the entry, and a button may be unable to have the chosen one.
        let chosen = request.mode == nil ? nil : mode
        let button = buttons[target.path]
        report(
            .init(
                .tested,
                device: buttons.entry(of: target.address),
                mode: chosen,
                restore: button?.restorations.map(\.message)
            )
        )
        let isEnrolled = await buttons.changes.wait(for: Self.enrolTimeout) { [enrolled] in
            enrolled.contains(identity) || !isWanted()
        }
        guard isWanted() else { return }
        guard isEnrolled else { throw .failed("it was tested, but not enrolled in devices.toml") }
        enrolled.candidate = nil
        _ = await buttons.changes.wait(for: Self.readyTimeout) { [buttons] in
            buttons.entry(of: target.address)?.link == .ready
        }
        report(.init(.enrolled, device: buttons.entry(of: target.address)))
    }

    /// The press that is observed, while a device is tested.
    private var test: (identifier: String, ButtonTest)?

    /// Handles an event of any accessory.
    func observe(_ event: AccessoryEvent) {
        guard let device = event.device, test?.identifier == device.identifier else { return }
        test?.1.handle(event)
    }

    private func tested(
        _ target: Target,
        within limit: Duration,
        isWanted: @escaping @EventLoop () -> Bool,
        _ report: @EventLoop (AccessoryInterface.PairAndTestReply) -> Void
    ) async throws(Failure) -> ButtonTest {
        test = (target.address, ButtonTest())
        defer { test = nil }
        let end = MonotonicInstant.now + limit
        var state = ButtonTest.State.waitingForPress
        report(.init(.waitingForPress, device: buttons.entry(of: target.address)))
        while isWanted(), let present = test?.1 {
            if case .passed = present.state { return present }
            if present.state != state {
                state = present.state
                let step: PairingStep = state == .waitingForPress ? .waitingForPress : .waitingForRelease
                report(.init(step, device: buttons.entry(of: target.address)))
            }
            let last = state
            let hasChanged = await buttons.changes.wait(for: end - .now) { [weak self] in
                self?.test?.1.state != last || !isWanted()
            }
            if !hasChanged { return test?.1 ?? ButtonTest() }
        }
        return ButtonTest()
    }

    /// The device is used from now on, but its presses begin nothing.
    private func begin(with candidate: Enrolment) async throws(Failure) {
        guard !isBusy else { throw .failed("another device is being paired: wait until that is done") }
        isBusy = true
        enrolled.candidate = candidate
    }

    private func end() {
        enrolled.candidate = nil
        isBusy = false
    }

    private func prepare(_ target: Target) async throws(Failure) -> AccessoryDevice {
        discovery.stopAll()
        if let definition = try serialDefinition(of: target) {
            return try await prepareSerial(target, definition)
        }
        let entry = buttons.entry(of: target.address)
        if let entry, entry.kind == .bluetoothHeadset,
            buttons.profile(of: target.path, enrolled.candidate) == nil
        {
            // The desktop has paired it, and its media keys are there.
            return entry
        }
        try await connect(target)
        let profile = try await profile(of: target)
        let isBonded = try device(target).isPaired
        if profile.bonding == .required, !isBonded { try await bond(target) }
        try await trust(target)
        var button = await readiness(of: target)
        if button?.isReady != true, profile.bonding == .ifRequested, !(try device(target).isPaired) {
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
    /// - Returns: What could not be done, for people.
    func forget(_ address: String) async throws(Failure) -> String? {
        let target = try await find(address)
        guard let adapter = try device(target).adapter else {
            throw .failed("BlueZ reports no adapter for \(address)")
        }
        let remark = await restoreSettings(target)
        try await removeDevice(target.path, from: adapter)
        _ = await buttons.changes.wait(for: Self.callTimeout) { [mirror = buttons.mirror] in
            mirror.objects.devices[target.path] == nil
        }
        return remark
    }

    private func restoreSettings(_ target: Target) async -> String? {
        guard let button = buttons[target.path] else { return nil }
        let identity = DeviceIdentity(bluetoothAddress: target.address)
        let restorations = enrolled.use(of: identity)?.enrolment.restorations ?? []
        guard !restorations.isEmpty || !button.restorations.isEmpty else { return nil }
        if button.isReady, await button.restoreSettings() { return nil }
        return "its settings could not be written back: it was not connected"
    }

    // MARK: - Steps

    struct Target {
        let address: String
        let path: ObjectPath
    }

    private func find(_ address: String) async throws(Failure) -> Target {
        await buttons.waitForAvailability()
        do throws(BluetoothUnavailable) {
            _ = try buttons.mirror.poweredAdapter()
        } catch {
            throw .unavailable(error.reason)
        }
        guard let path = buttons.mirror.objects.device(address: address) else {
            throw .notFound(
                "\(address) is unknown: run `pttctl pair`, and press the button so that it is found"
            )
        }
        return Target(address: address.uppercased(), path: path)
    }

    func device(_ target: Target) throws(Failure) -> BlueZDevice {
        if let device = buttons.mirror.objects.devices[target.path] { return device }
        throw .failed(
            buttons.mirror.connection == nil
                ? buttons.mirror.unavailability
                : "\(target.address) has disappeared: press the button, and scan again"
        )
    }

    private func connect(_ target: Target) async throws(Failure) {
        buttons.mirror.watch(target.path, BlueZ.device)
        for attempt in 1... {
            if try device(target).isConnected { return }
            do throws(BusError) {
                try await callDevice(target, "Connect", timeout: Self.connectTimeout)
                return
            } catch {
                try await recover(target, from: error, attempt: attempt)
            }
        }
    }

    /// Handles a failed `Connect`. Returns if the device may be connected by now, or another attempt is worthwhile.
    private func recover(_ target: Target, from error: BusError, attempt: Int) async throws(Failure) {
        log.notice("\(target.address): \(error)")
        let changes = buttons.changes
        let isUp: @EventLoop () -> Bool = { [mirror = buttons.mirror] in
            mirror.objects.devices[target.path]?.isConnected ?? false
        }
        let mayRepeat = attempt < Self.connectAttempts
        let isUnderWay = error.name == "org.bluez.Error.InProgress"
        if isUnderWay, mayRepeat, await changes.wait(for: Self.connectTimeout, until: isUp) { return }
        // A cancelled or aborted attempt is reported before the link is really down.
        _ = await changes.wait(for: .seconds(3)) { !isUp() }
        // By prefixes of words: a text search would link a megabyte of regular expressions into the daemon.
        let words = error.message.split { !$0.isLetter }
        let isAborted = words.contains { $0.hasPrefix("abort") || $0.hasPrefix("cancel") }
        if isAborted, mayRepeat { return }
        // Also ends an attempt that is still pending. Its error would add nothing to the first one.
        _ = try? await callDevice(target, "Disconnect", timeout: Self.callTimeout)
        throw .failed(ConnectError.explain(error, target.address, isPaired: try device(target).isPaired))
    }

    private func profile(of target: Target) async throws(Failure) -> AccessoryProfile {
        let mirror = buttons.mirror
        _ = await buttons.changes.wait(for: Self.servicesTimeout) {
            // Disconnected, or resolved.
            mirror.objects.devices[target.path].map { $0.areServicesResolved || !$0.isConnected } ?? true
        }
        let device = try device(target)
        guard device.isConnected else {
            throw .failed(
                "it disconnected while its services were being discovered: press the button, and try again"
            )
        }
        guard device.areServicesResolved else {
            throw .failed("its services were not discovered in time: switch it off and on, and try again")
        }
        let chosen = buttons.profile(of: target.path, enrolled.candidate)
        if let chosen, mirror.objects.hasCharacteristic(of: target.path, matching: chosen) { return chosen }
        let profile = mirror.objects.profiles(of: target.path).first {
            mirror.objects.hasCharacteristic(of: target.path, matching: $0)
        }
        if let profile, enrolled.candidate?.accessory == nil { return profile }
        throw .failed(unsupported(target, device, chosen))
    }

    private func unsupported(_ target: Target, _ device: BlueZDevice, _ chosen: AccessoryProfile?) -> String {
        let services = buttons.mirror.objects.characteristics(of: target.path).map {
            "\($0.service)/\($0.uuid)"
        }
        let found = services.isEmpty ? "none" : services.joined(separator: ", ")
        let name = device.origin.name
        if let chosen = chosen ?? AccessoryProfile.hinted(byName: name) {
            return
                "\(name) should be \(chosen.name), but has no such service. If BlueZ remembers old services: "
                + "`pttctl repair \(target.address)`. Its services: \(found)"
        }
        if let accessory = enrolled.candidate?.accessory { return "there is no accessory file \(accessory)" }
        return
            "\(name) is not a supported button: `pttctl learn` may find out what it sends. Its services: \(found)"
    }

    /// Bonds with the device. Only after its services are resolved: before that BlueZ 5.66 bonds but never answers.
    /// For the same reason `Paired` counts as an answer.
    func bond(_ target: Target) async throws(Failure) {
        guard let connection = buttons.mirror.connection else {
            throw .unavailable(buttons.mirror.unavailability)
        }
        let agent: PairingAgent
        do throws(BusError) {
            agent = try await PairingAgent(for: target.path, on: connection, log: log)
        } catch {
            throw .failed("BlueZ does not accept our pairing agent: \(error)")
        }
        defer { agent.unregister() }
        let (changes, mirror) = (buttons.changes, buttons.mirror)
        var answer: Result<[BusValue], BusError>?
        let call = MethodCall(
            to: BlueZ.name,
            path: target.path,
            interface: BlueZ.device,
            member: "Pair",
            startsService: false
        )
        connection.call(call, timeout: Self.bondTimeout) {
            answer = $0
            changes.notify()
        }
        let isPaired: @EventLoop () -> Bool = { mirror.objects.devices[target.path]?.isPaired ?? false }
        _ = await changes.wait(for: Self.bondTimeout) { isPaired() || answer != nil }
        if isPaired() { return }
        switch answer {
        case .success: return
        case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists": return
        case .failure(let error): throw .failed(ConnectError.explainBond(error, target.address))
        case nil: throw .failed("it did not answer while bonding: put it into pairing mode, and try again")
        }
    }

    func trust(_ target: Target) async throws(Failure) {
        do throws(BusError) {
            guard let connection = buttons.mirror.connection else {
                throw .failed(buttons.mirror.unavailability)
            }
            _ = try await connection.call(
                .setProperty(
                    "Trusted",
                    interface: BlueZ.device,
                    to: .boolean(true),
                    of: BlueZ.name,
                    path: target.path
                ),
                timeout: Self.callTimeout
            )
        } catch {
            throw .failed("BlueZ does not trust it: \(error)")
        }
    }

    /// Waits until the button is ready, or has refused. On the last try it may still become ready after a refusal,
    /// because the bond is new.
    private func readiness(of target: Target, isLastTry: Bool = false) async -> BluetoothButton? {
        let buttons = buttons
        _ = await buttons.changes.wait(for: Self.readyTimeout) {
            guard let button = buttons[target.path] else { return false }
            let hasFailed = button.subscriptionFailure != nil && !isLastTry
            return hasFailed || button.isReady || button.device.link == .unused
        }
        return buttons[target.path]
    }

    private func removeDevice(_ device: ObjectPath, from adapter: ObjectPath) async throws(Failure) {
        let call = MethodCall(
            to: BlueZ.name,
            path: adapter,
            interface: BlueZ.adapter,
            member: "RemoveDevice",
            arguments: [.objectPath(device)],
            startsService: false
        )
        do throws(BusError) {
            try await send(call, timeout: Self.callTimeout)
        } catch {
            throw .failed("\(error)")
        }
    }

    private func callDevice(_ target: Target, _ member: String, timeout: Duration) async throws(BusError) {
        let call = MethodCall(
            to: BlueZ.name,
            path: target.path,
            interface: BlueZ.device,
            member: member,
            startsService: false
        )
        try await send(call, timeout: timeout)
    }

    private func send(_ call: MethodCall, timeout: Duration) async throws(BusError) {
        guard let connection = buttons.mirror.connection else {
            throw .failed(buttons.mirror.unavailability)
        }
        _ = try await connection.call(call, timeout: timeout)
    }
}

extension Enrolment.Restoration {
    fileprivate var message: Restoration {
        Restoration(
            service: attribute.service.text,
            characteristic: attribute.characteristic.text,
            bits: bits.map { String(hexadecimal: UInt64($0), digits: 2) }.joined()
        )
    }
}

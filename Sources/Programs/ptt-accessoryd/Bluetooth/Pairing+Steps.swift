import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Logging
import PTTMessages

extension Pairing {
    struct Target {
        let address: String
        let path: ObjectPath
    }

    func find(_ address: String) async throws(RequestFailure) -> Target {
        Target(address: address.uppercased(), path: try await buttons.find(address))
    }

    func device(_ target: Target) throws(RequestFailure) -> BlueZDevice {
        if let device = buttons.mirror.objects.devices[target.path] { return device }
        throw .failed(
            buttons.mirror.connection == nil
                ? buttons.mirror.unavailability
                : "\(target.address) has disappeared: press the button, and scan again"
        )
    }

    /// The accessory file that was chosen for the device, or the best one as far as that is known without a
    /// link.
    func definition(of target: Target) throws(RequestFailure) -> AccessoryDefinition? {
        buttons.definition(of: try device(target), enrolled.candidate)
    }

    /// Returns when the device is connected, or has turned out to be a serial microphone: many name their
    /// services only when bluetoothd connects them, which then fails for lack of a profile.
    func connect(_ target: Target) async throws(RequestFailure) {
        buttons.mirror.watch(target.path, BlueZ.device)
        for attempt in 1... {
            if try device(target).isConnected { return }
            do throws(BusError) {
                try await callDevice(target, "Connect", timeout: Self.connectTimeout)
                return
            } catch {
                if case .serial? = try definition(of: target)?.input { return }
                try await recover(target, from: error, attempt: attempt)
            }
        }
    }

    /// Handles a failed `Connect`. Returns if the device may be connected by now, or another attempt is
    /// worthwhile.
    func recover(_ target: Target, from error: BusError, attempt: Int) async throws(RequestFailure) {
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
        // Also ends an attempt that is still pending, but never a link that may carry sound. Its error would
        // add nothing to the first one.
        let isShared = isUp() && buttons.mirror.objects.devices[target.path]?.mayHaveClassicLink == true
        if !isShared {
            _ = try? await callDevice(target, "Disconnect")
        }
        throw .failed(ConnectError.explain(error, target.address, isPaired: try device(target).isPaired))
    }

    /// Authorizes the bond of this device, and of no other one, until it is paired.
    func registerAgent(_ target: Target) async {
        guard let connection = buttons.mirror.connection else { return }
        do throws(BusError) {
            agent = try await PairingAgent(for: target.path, on: connection, log: log)
        } catch {
            // It is needed only for a bond, which then makes another attempt.
            log.debug("\(error)")
        }
    }

    func profile(
        of target: Target,
        isAgain: Bool = false
    ) async throws(RequestFailure) -> AccessoryDefinition {
        let mirror = buttons.mirror
        _ = await buttons.changes.wait(for: Self.servicesTimeout) {
            // Disconnected, or resolved.
            mirror.objects.devices[target.path].map { $0.areServicesResolved || !$0.isConnected } ?? true
        }
        let device = try device(target)
        guard device.isConnected else {
            // After a crash of bluetoothd the kernel keeps a link for two seconds that bluetoothd does not
            // use.
            if !isAgain {
                try await connect(target)
                return try await self.profile(of: target, isAgain: true)
            }
            throw .failed(
                "it disconnected while its services were being discovered: press the button, and try again"
            )
        }
        guard device.areServicesResolved else {
            throw .failed("its services were not discovered in time: switch it off and on, and try again")
        }
        let chosen = buttons.profile(of: target.path, enrolled.candidate)
        if let chosen, mirror.objects.hasCharacteristic(of: target.path, matching: chosen) { return chosen }
        let profile = mirror.objects.profiles(of: target.path, in: buttons.files.catalog).first {
            mirror.objects.hasCharacteristic(of: target.path, matching: $0)
        }
        if let profile, enrolled.candidate?.accessory == nil { return profile }
        throw .failed(unsupported(target, device, chosen))
    }

    func unsupported(_ target: Target, _ device: BlueZDevice, _ chosen: AccessoryDefinition?) -> String {
        let services = buttons.mirror.objects.characteristics(of: target.path).map {
            "\($0.service)/\($0.uuid)"
        }
        let found = services.isEmpty ? "none" : services.joined(separator: ", ")
        let name = device.origin.name
        if let chosen = chosen ?? buttons.files.catalog.hinted(byName: name) {
            return
                "\(name) should be \(chosen.name), but has no such service. If BlueZ remembers old services: "
                + "`pttctl repair \(target.address)`. Its services: \(found)"
        }
        if let accessory = enrolled.candidate?.accessory { return "there is no accessory file \(accessory)" }
        return
            "\(name) is not a supported button: `pttctl learn` may find out what it sends. Its services: \(found)"
    }

    /// Bonds with the device. Only after its services are resolved: before that BlueZ 5.66 bonds but never
    /// answers. For the same reason `Paired` counts as an answer.
    func bond(_ target: Target) async throws(RequestFailure) {
        guard let connection = buttons.mirror.connection else {
            throw .unavailable(buttons.mirror.unavailability)
        }
        if agent == nil {
            do throws(BusError) {
                agent = try await PairingAgent(for: target.path, on: connection, log: log)
            } catch {
                throw .failed("BlueZ does not accept our pairing agent: \(error)")
            }
        }
        let (changes, mirror) = (buttons.changes, buttons.mirror)
        var answer: Result<[BusValue], BusError>?
        let call = BlueZ.call("Pair", of: BlueZ.device, on: target.path)
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

    static let cannotBeRecognised =
        "it hides its address, which changes every few minutes, and tells its identity in no bond: it could not be "
        + "recognised again"

    /// Waits for the identity address of a device that was bonded. From then on it is the device to be
    /// enrolled.
    func identify(_ target: inout Target) async throws(RequestFailure) {
        let path = target.path
        let mirror = buttons.mirror
        _ = await buttons.changes.wait(for: Self.changeTimeout) {
            mirror.objects.devices[path]?.hasPrivateAddress != true
        }
        let device = try device(target)
        guard !device.hasPrivateAddress else { throw .failed(Self.cannotBeRecognised) }
        log.notice("\(target.address) has the identity address \(device.address)")
        target = Target(address: device.address.uppercased(), path: path)
        enrolled.candidate = enrolled.candidate.map { candidate in
            var candidate = candidate
            candidate.identity = DeviceIdentity(bluetoothAddress: device.address)
            return candidate
        }
    }

    func trust(_ target: Target) async throws(RequestFailure) {
        do throws(BusError) {
            try await buttons.mirror.send(
                BlueZ.remote(BlueZ.device, of: target.path).set("Trusted", to: .boolean(true))
            )
        } catch {
            throw .failed("BlueZ does not trust it: \(error)")
        }
    }

    /// Waits until the button is ready, or has refused. On the last try it may still become ready after a
    /// refusal, because the bond is new.
    func readiness(of target: Target, isLastTry: Bool = false) async -> BluetoothButton? {
        let buttons = buttons
        _ = await buttons.changes.wait(for: Self.readyTimeout) {
            guard let button = buttons[target.path] else { return false }
            let hasFailed = button.subscriptionFailure != nil && !isLastTry
            return hasFailed || button.isReady || button.device.link == .unused
        }
        return buttons[target.path]
    }

    func removeDevice(_ device: ObjectPath, from adapter: ObjectPath) async throws(RequestFailure) {
        let call = BlueZ.call("RemoveDevice", of: BlueZ.adapter, on: adapter, [.objectPath(device)])
        do throws(BusError) {
            try await buttons.mirror.send(call)
        } catch {
            throw .failed("\(error)")
        }
    }

    func callDevice(
        _ target: Target,
        _ member: String,
        timeout: Duration = BusConnection.defaultTimeout
    ) async throws(BusError) {
        let call = BlueZ.call(member, of: BlueZ.device, on: target.path)
        try await buttons.mirror.send(call, timeout: timeout)
    }
}

extension BluetoothButtons {
    /// Finds a device that BlueZ knows, as soon as it is known whether Bluetooth is available.
    func find(_ address: String) async throws(RequestFailure) -> ObjectPath {
        await waitForAvailability()
        _ = try mirror.poweredAdapter()
        if let path = mirror.objects.device(address: address) { return path }
        throw .notFound("\(address) is unknown: run `pttctl pair`, and press the button so that it is found")
    }
}

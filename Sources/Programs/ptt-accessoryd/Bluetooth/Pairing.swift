import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// Makes a Bluetooth device a button of this machine, and forgets it again.
@EventLoop
final class Pairing {
    enum Failure: Error, Equatable {
        case unavailable(String)
        case notFound(String)
        case failed(String)

        var reason: String {
            switch self {
            case .unavailable(let reason), .notFound(let reason), .failed(let reason): reason
            }
        }
    }

    private static let connectLimit = Duration.seconds(30)
    private static let connectAttempts = 3
    private static let servicesLimit = Duration.seconds(20)
    private static let bondLimit = Duration.seconds(60)
    private static let readyLimit = Duration.seconds(15)
    private static let callLimit = Duration.seconds(10)

    private let buttons: BluetoothButtons
    private let discovery: Discovery
    private let log: Logger
    private var isBusy = false

    init(_ buttons: BluetoothButtons, _ discovery: Discovery, log: Logger) {
        self.buttons = buttons
        self.discovery = discovery
        self.log = log
    }

    /// Connects, bonds if its profile wants that, trusts, and waits until a press will be heard.
    ///
    /// - Returns: The button.
    func pair(_ address: String) async throws(Failure) -> AccessoryDevice {
        guard !isBusy else { throw .failed("another device is being paired: wait until that is done") }
        isBusy = true
        defer { isBusy = false }
        let target = try await find(address)
        discovery.stopAll()
        try await connect(target)
        let profile = try await profile(of: target)
        let isBonded = try device(target).isPaired
        if profile.bonding == .required, !isBonded { try await bond(target) }
        try await trust(target)
        var outcome = await readiness(of: target)
        if outcome?.device.link != .ready, profile.bonding == .ifRequested, !(try device(target).isPaired) {
            // Some refuse a subscription over an open link, which is how they ask for a bond.
            try await bond(target)
            outcome = await readiness(of: target, isLastTry: true)
        }
        if let device = outcome?.device, device.link == .ready { return device }
        let reason = outcome?.subscriptionFailure ?? outcome?.device.remark ?? "nothing came in time"
        throw .failed(
            "it is trusted, but its notifications cannot be turned on (\(reason)): switch it off and on; "
                + "if that does not help, `pttctl forget \(target.address)`, and pair it again"
        )
    }

    /// Removes a device and its bond.
    func forget(_ address: String) async throws(Failure) {
        let target = try await find(address)
        guard let adapter = try device(target).adapter else {
            throw .failed("BlueZ names no adapter for \(address)")
        }
        try await call(adapter, BlueZ.adapter, "RemoveDevice", [.objectPath(target.path)])
        _ = await buttons.changes.wait(Self.callLimit) { [mirror = buttons.mirror] in
            mirror.objects.devices[target.path] == nil
        }
    }

    // MARK: - Steps

    private struct Target {
        let address: String
        let path: ObjectPath
    }

    private func find(_ address: String) async throws(Failure) -> Target {
        await buttons.settle()
        do throws(BluetoothUnavailable) {
            _ = try buttons.mirror.poweredAdapter()
        } catch {
            throw .unavailable(error.reason)
        }
        guard let path = buttons.mirror.objects.device(address: address) else {
            throw .notFound(
                "\(address) is not known: run `pttctl pair`, and press the button so that it is found"
            )
        }
        return Target(address: address.uppercased(), path: path)
    }

    private func device(_ target: Target) throws(Failure) -> BlueZDevice {
        if let device = buttons.mirror.objects.devices[target.path] { return device }
        throw .failed(
            buttons.mirror.connection == nil
                ? buttons.mirror.absence : "\(target.address) has gone: press the button, and scan again"
        )
    }

    private func connect(_ target: Target) async throws(Failure) {
        buttons.mirror.follow(target.path, BlueZ.device)
        for attempt in 1... {
            if try device(target).isConnected { return }
            do throws(BusError) {
                try await send(target.path, BlueZ.device, "Connect", [], Self.connectLimit)
                return
            } catch {
                try await recover(target, from: error, attempt)
            }
        }
    }

    /// Decides what a failed `Connect` means: returns to try again, or to look whether it is connected by now.
    private func recover(_ target: Target, from error: BusError, _ attempt: Int) async throws(Failure) {
        log.notice("\(target.address): \(error)")
        let changes = buttons.changes
        let isUp: @EventLoop () -> Bool = { [mirror = buttons.mirror] in
            mirror.objects.devices[target.path]?.isConnected ?? false
        }
        let mayRepeat = attempt < Self.connectAttempts
        let isUnderWay = error.name == "org.bluez.Error.InProgress"
        if isUnderWay, mayRepeat, await changes.wait(Self.connectLimit, until: isUp) { return }
        // A cancelled or aborted attempt is told before the link is really down.
        _ = await changes.wait(.seconds(3)) { !isUp() }
        // By words: a search for a text would link a megabyte of regular expressions into the daemon.
        let words = error.message.split { !$0.isLetter }
        let isAborted = words.contains { $0.hasPrefix("abort") || $0.hasPrefix("cancel") }
        if isAborted, mayRepeat { return }
        // Also ends an attempt that is still pending. Its own answer says nothing that is of use here.
        _ = try? await send(target.path, BlueZ.device, "Disconnect", [], Self.callLimit)
        throw .failed(ConnectError.explain(error, target.address, isPaired: try device(target).isPaired))
    }

    private func profile(of target: Target) async throws(Failure) -> AccessoryProfile {
        let mirror = buttons.mirror
        _ = await buttons.changes.wait(Self.servicesLimit) {
            // Gone, or all there.
            mirror.objects.devices[target.path].map { $0.areServicesResolved || !$0.isConnected } ?? true
        }
        let device = try device(target)
        guard device.isConnected else {
            throw .failed(
                "it disconnected while its services were looked up: press the button, and try again"
            )
        }
        guard device.areServicesResolved else {
            throw .failed("its services were not told in time: switch it off and on, and try again")
        }
        let profile = mirror.objects.profiles(of: target.path).first {
            mirror.objects.characteristic(of: target.path, fitting: $0) != nil
        }
        if let profile { return profile }
        let services = mirror.objects.characteristics(of: target.path).map { "\($0.service)/\($0.uuid)" }
        let seen = services.isEmpty ? "none" : services.joined(separator: ", ")
        throw .failed("\(device.origin.name) is no button that is known here. Its services: \(seen)")
    }

    /// Bonds. Only after the services are resolved: before that BlueZ 5.66 bonds without ever answering. For the
    /// same reason `Paired` counts as an answer.
    private func bond(_ target: Target) async throws(Failure) {
        guard let connection = buttons.mirror.connection else { throw .unavailable(buttons.mirror.absence) }
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
        connection.call(call, timeout: Self.bondLimit) {
            answer = $0
            changes.happened()
        }
        let isPaired: @EventLoop () -> Bool = { mirror.objects.devices[target.path]?.isPaired ?? false }
        _ = await changes.wait(Self.bondLimit) { isPaired() || answer != nil }
        if isPaired() { return }
        switch answer {
        case .success: return
        case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists": return
        case .failure(let error): throw .failed(ConnectError.explainBond(error, target.address))
        case nil: throw .failed("it did not answer while bonding: put it into pairing mode, and try again")
        }
    }

    private func trust(_ target: Target) async throws(Failure) {
        do throws(BusError) {
            guard let connection = buttons.mirror.connection else { throw .failed(buttons.mirror.absence) }
            _ = try await connection.call(
                .setProperty(
                    "Trusted",
                    interface: BlueZ.device,
                    to: .boolean(true),
                    of: BlueZ.name,
                    path: target.path
                ),
                timeout: Self.callLimit
            )
        } catch {
            throw .failed("BlueZ does not trust it: \(error)")
        }
    }

    /// Waits until the button is ready, or has refused. On the last try a refusal may still turn into readiness,
    /// because the bond is new.
    private func readiness(of target: Target, isLastTry: Bool = false) async -> BluetoothButton? {
        let buttons = buttons
        _ = await buttons.changes.wait(Self.readyLimit) {
            guard let button = buttons[target.path] else { return false }
            let hasFailed = button.subscriptionFailure != nil && !isLastTry
            return hasFailed || button.device.link == .ready || button.device.link == .unused
        }
        return buttons[target.path]
    }

    private func call(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue])
        async throws(Failure)
    {
        do throws(BusError) {
            try await send(path, interface, member, arguments, Self.callLimit)
        } catch {
            throw .failed("\(error)")
        }
    }

    private func send(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        _ limit: Duration
    ) async throws(BusError) {
        guard let connection = buttons.mirror.connection else { throw .failed(buttons.mirror.absence) }
        let call = MethodCall(
            to: BlueZ.name,
            path: path,
            interface: interface,
            member: member,
            arguments: arguments,
            startsService: false
        )
        _ = try await connection.call(call, timeout: limit)
    }
}

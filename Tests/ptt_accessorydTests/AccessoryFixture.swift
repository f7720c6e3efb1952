import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Varlink

/// The built ptt-accessoryd with a simulated BlueZ on a private bus, a core, and a client that subscribes to
/// its events.
@EventLoop
final class AccessoryFixture {
    nonisolated let bus: PrivateBus
    nonisolated let events = AsyncQueue(of: AccessoryEvent.self)
    let directory: String
    private let scratch: Scratch
    private(set) var core: CoreDouble?
    private(set) var simulator: TestProcess?
    private(set) var accessoryd: TestProcess?
    let notices: NotifySocket
    private var watcher: VarlinkClient?

    /// Starts everything. `buttons` are arguments of `ptt-sim --button`; if `known`, they are paired, trusted
    /// and connected from the start. They are enrolled if `enrolled`, or, if that is left out, `known`.
    /// `microphones` are the accessory files of serial microphones, numbered after the buttons. `actions` is
    /// the text of `actions.toml`, in which `LOG` is ``log``. `experimental`: so is the simulated bluetoothd.
    static func start(
        buttons: [String] = ["ffe0"],
        microphones: [String] = [],
        known: Bool = true,
        enrolled: Bool? = nil,
        core: Bool = true,
        isJoined: Bool = true,
        actions: String? = nil,
        experimental: Bool = false
    ) async throws -> AccessoryFixture {
        let fixture = try AccessoryFixture(bus: try await PrivateBus.start())
        if let actions {
            let text = actions.replacingOccurrences(of: "LOG", with: fixture.log)
            let path = fixture.directory + "/config/pushtotalk/actions.toml"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        if enrolled ?? known {
            try fixture.enrol(buttons.indices.map { Enrolment(address(of: $0 + 1)) })
            try fixture.enrol(
                microphones.indices.map { Enrolment(address(ofMicrophone: buttons.count + $0 + 1)) }
            )
        }
        if core {
            fixture.core = try CoreDouble(at: fixture.directory + "/pushtotalk/core", isJoined: isJoined)
        }
        try await fixture.startSimulator(buttons, microphones, known: known, experimental: experimental)
        try await fixture.startAccessoryd()
        return fixture
    }

    /// Another user of the same machine: with a daemon, a core and a configuration of its own.
    static func start(sharing owner: AccessoryFixture) async throws -> AccessoryFixture {
        let fixture = try AccessoryFixture(bus: owner.bus)
        fixture.core = try CoreDouble(at: fixture.directory + "/pushtotalk/core")
        try await fixture.startAccessoryd()
        return fixture
    }

    private init(bus: PrivateBus) throws {
        self.bus = bus
        scratch = try Scratch()
        directory = scratch.directory
        for name in ["/pushtotalk", "/config", "/config/pushtotalk"] {
            guard mkdir(directory + name, 0o700) == 0 else { throw SystemError("create \(directory + name)") }
        }
        notices = try NotifySocket(at: directory + "/notify")
    }

    isolated deinit {
        accessoryd?.kill()
        simulator?.kill()
        core?.stop()
    }

    /// The address of a simulated button, counted from 1.
    static func address(of button: Int) -> DeviceIdentity {
        DeviceIdentity(bluetoothAddress: "F0:F1:F2:F3:F4:0\(button)")
    }

    /// The address of a simulated microphone.
    static func address(ofMicrophone number: Int) -> DeviceIdentity {
        DeviceIdentity(bluetoothAddress: "00:1B:DC:00:01:0\(number)")
    }

    /// The file of the enrolled devices.
    var enrolmentFile: String { directory + "/config/pushtotalk/devices.toml" }

    /// A file for the commands of actions.
    var log: String { directory + "/log" }

    /// Enrols devices as `pttctl` does.
    func enrol(_ enrolments: [Enrolment] = [Enrolment(address(of: 1))]) throws {
        try EnrolmentFile.edit(enrolmentFile) { text in
            for enrolment in enrolments { try text.set(enrolment) }
        }
    }

    func startCore() throws {
        if let core { try core.start() } else { core = try CoreDouble(at: directory + "/pushtotalk/core") }
    }

    private func startSimulator(
        _ buttons: [String],
        _ microphones: [String],
        known: Bool,
        experimental: Bool
    ) async throws {
        let arguments =
            buttons.flatMap { ["--button", $0] } + microphones.flatMap { ["--microphone", $0] }
            + (known ? ["--known"] : []) + (experimental ? ["--experimental"] : [])
        let simulator = try TestProcess(
            [TestProcess.built("ptt-sim"), "buttons", "--bus", bus.address] + arguments
        )
        self.simulator = simulator
        let line = try await simulator.lines.next()
        guard line.hasPrefix("ready") else { throw FixtureError("ptt-sim: \(line)") }
    }

    func startAccessoryd() async throws {
        accessoryd = try TestProcess(
            [TestProcess.built("ptt-accessoryd")],
            environment: [
                "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config",
                "XDG_STATE_HOME": directory + "/state",
                "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
                "NOTIFY_SOCKET": notices.path,
                "PTT_LOG": getenv("PTT_LOG").map { String(cString: $0) } ?? "critical",
            ]
        )
        _ = try await notices.texts.first { $0.contains("READY=1") }
        try watch()
    }

    /// Runs a command of `ptt-sim`.
    func simulate(_ command: String) async throws {
        let answer = try await simulator?.ask(command)
        guard answer == "ok" else { throw FixtureError("\(command): \(answer ?? "no simulator")") }
    }

    /// The next event of this kind; earlier events are discarded.
    @discardableResult
    func next(_ kind: AccessoryEventKind) async throws -> AccessoryEvent {
        try await events.first { $0.kind == kind }
    }

    /// Waits until this number of buttons is ready.
    func ready(_ count: Int = 1) async throws {
        var ready: Set<String> = []
        _ = try await events.first { event in
            guard let device = event.device else { return false }
            if device.link == .ready {
                ready.insert(device.identifier)
            } else {
                ready.remove(device.identifier)
            }
            return ready.count >= count
        }
    }

    /// The next request to the core.
    func asked() async throws -> CoreDouble.Request {
        guard let core else { throw FixtureError("there is no core") }
        return try await core.requests.next()
    }

    func call<Reply: Decodable & Sendable>(
        _ method: String,
        _ parameters: JSONText = [:],
        as type: Reply.Type = Reply.self
    ) async throws -> Reply {
        let client = try VarlinkClient(connectingTo: directory + "/pushtotalk/accessory")
        defer { client.close() }
        return try await client.call(
            "\(AccessoryInterface.name).\(method)",
            parameters,
            timeLimit: .seconds(60)
        )
        .decode()
    }

    /// A connection to ptt-accessoryd.
    func client() throws -> VarlinkClient {
        try VarlinkClient(connectingTo: directory + "/pushtotalk/accessory")
    }

    /// The name of the error of a call.
    func failure(_ method: String, _ parameters: JSONText) async throws -> String {
        let client = try client()
        defer { client.close() }
        do throws(VarlinkCallError) {
            let name = "\(AccessoryInterface.name).\(method)"
            return "no error: \(try await client.call(name, parameters, timeLimit: .seconds(60)))"
        } catch {
            guard case .answered(let answer) = error else { throw error }
            return answer.name
        }
    }

    /// Scans until a device is found.
    func scan() async throws -> AccessoryInterface.Discovery {
        let client = try client()
        defer { client.close() }
        let found = AsyncQueue(of: AccessoryInterface.Discovery.self)
        client.subscribe("\(AccessoryInterface.name).Scan", ["seconds": 10]) { answer, _ in
            guard case .success(let parameters) = answer,
                let device = try? parameters.decode(AccessoryInterface.ScanReply.self).device
            else { return }
            found.add(device)
        }
        return try await found.next()
    }

    /// Pairs a button and enrols it.
    func pair() async throws -> AccessoryDevice {
        let reply: AccessoryInterface.PairReply = try await call("Pair", ["address": .string(first)])
        _ = try await events.first { $0.device?.link == .unused }
        try enrol()
        try await ready()
        return reply.device
    }

    /// Subscribes to the events of ptt-accessoryd. Present devices are recorded as added.
    private func watch() throws {
        let watcher = try client()
        self.watcher = watcher
        let events = events
        watcher.subscribe("\(AccessoryInterface.name).Subscribe") { answer, _ in
            guard case .success(let parameters) = answer,
                let update = try? parameters.decode(AccessoryInterface.Update.self)
            else { return }
            for device in update.devices ?? [] { events.add(AccessoryEvent(.deviceAdded, device: device)) }
            if let event = update.event { events.add(event) }
        }
    }
}

/// The parameters of a reply that has none.
struct Nothing: Decodable, Sendable {}

struct FixtureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

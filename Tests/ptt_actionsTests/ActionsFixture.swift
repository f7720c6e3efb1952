import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// A built `ptt-actions` with a service manager, whose commands write to a file what they do.
@EventLoop
final class ActionsFixture {
    let logind: ScriptedLogind
    private(set) var program: TestProcess
    private let scratch: Scratch
    private let systemBus: PrivateBus
    /// The size of the disk that the state is on; nil for that of everything else.
    private let disk: String?
    private var manager: PrivateServiceManager?
    let directory: String
    /// A press that is dropped is a press that is released.
    private var presses: [Press] = []

    /// - Parameters:
    ///   - actions: The text of `actions.toml`, in which `LOG` is the file that commands write to.
    ///   - disk: The size of a disk of its own for the state; nil for none.
    /// - Returns: The program, which serves.
    /// - Throws: If something of it cannot be started.
    static func start(_ actions: String, disk: String? = nil) async throws -> ActionsFixture {
        let scratch = try Scratch()
        let systemBus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(systemBus.address)
        let manager = try await PrivateServiceManager.start(in: scratch.directory)
        let fixture = try ActionsFixture(scratch, systemBus, logind, manager, actions, disk)
        try await fixture.serves()
        return fixture
    }

    private init(
        _ scratch: Scratch,
        _ systemBus: PrivateBus,
        _ logind: ScriptedLogind,
        _ manager: PrivateServiceManager,
        _ actions: String,
        _ disk: String?
    ) throws {
        (self.systemBus, self.logind, self.manager, self.disk) = (systemBus, logind, manager, disk)
        directory = scratch.directory
        self.scratch = scratch
        let configuration = directory + "/config/pushtotalk"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        try Self.write(actions, in: directory)
        program = try Self.launch(in: directory, systemBus, disk: disk)
    }

    private static func write(_ actions: String, in directory: String) throws {
        let text = actions.replacingOccurrences(of: "LOG", with: directory + "/log")
        try text.write(
            toFile: directory + "/config/pushtotalk/actions.toml",
            atomically: true,
            encoding: .utf8
        )
    }

    var systemBusAddress: String { systemBus.address }

    func write(_ actions: String) throws { try Self.write(actions, in: directory) }

    private static func launch(
        in directory: String,
        _ systemBus: PrivateBus,
        disk: String?
    ) throws -> TestProcess {
        let state = directory + "/state/pushtotalk"
        let script = "mkdir -p \(state) && mount -t tmpfs -o size=\(disk ?? "") tmpfs \(state) && exec \"$0\""
        let inSmallDisk = disk == nil ? [] : ["unshare", "--mount", "sh", "-c", script]
        return try TestProcess(
            inSmallDisk + [TestProcess.built("ptt-actions")],
            environment: [
                "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config",
                "XDG_STATE_HOME": directory + "/state", "HOME": directory,
                "DBUS_SESSION_BUS_ADDRESS": PrivateServiceManager.bus(in: directory),
                "DBUS_SYSTEM_BUS_ADDRESS": systemBus.address,
                "PTT_LOG": "debug",
            ],
            mergesErrors: true
        )
    }

    /// Starts it again, after ``program`` has ended.
    func restart() async throws {
        program = try Self.launch(in: directory, systemBus, disk: disk)
        try await serves()
    }

    /// The presses that are kept on disk; nil if nothing is pressed.
    var pending: String? {
        get throws { try TextFile.read(directory + "/state/pushtotalk/actions.json", limit: 4096) }
    }

    /// Ends everything as a power cut does, and starts it again, in another boot.
    ///
    /// - Parameter managerIsLate: The service manager starts when the program has failed to reach it.
    /// - Throws: If something of it cannot be started.
    func cutPower(managerIsLate: Bool = false) async throws {
        program.kill()
        manager = nil
        let file = directory + "/state/pushtotalk/actions.json"
        let boot = try #require(try TextFile.read("/proc/sys/kernel/random/boot_id", limit: 64))
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try TextFile.edit(file, limit: 4096) { ($0 ?? "").replacingOccurrences(of: boot, with: "another") }
        if managerIsLate {
            try FileManager.default.removeItem(atPath: directory + "/bus")
            try await restart()
            _ = try await program.lines.first { $0.contains("unitStopped") }
        }
        manager = try await PrivateServiceManager.start(in: directory)
        if !managerIsLate { try await restart() }
    }

    /// Returns when it answers: it has read its file then.
    private func serves() async throws {
        try await until {
            (try? await VarlinkClient(connectingTo: socket).call("org.varlink.service.GetInfo")) != nil
        }
    }

    private var socket: String { directory + "/pushtotalk/actions" }

    /// The words that commands have written.
    var log: [String] {
        get throws {
            let text = try TextFile.read(directory + "/log", limit: 64 * 1024) ?? ""
            return text.split(separator: "\n").map { String($0) }
        }
    }

    /// Returns when the commands have written this, and nothing else.
    func isLogged(_ words: String...) async throws {
        try await until { try log.count >= words.count }
        let written = try self.log
        #expect(written == words)
    }

    /// Presses a button, until ``Press/release()``.
    func press(_ device: String = "Pedal", _ role: ButtonRole = .talk) throws -> Press {
        let press = try Press(socket, device, role)
        presses.append(press)
        return press
    }

    /// Presses a button, and returns when its action has begun.
    func begin(_ device: String = "Pedal", _ role: ButtonRole = .talk) async throws -> Press {
        let press = try press(device, role)
        _ = try await press.event(.began)
        return press
    }
}

/// A button that is pressed.
@EventLoop
final class Press {
    let answers = AsyncQueue(of: VarlinkClient.Answer.self)
    private let client: VarlinkClient

    fileprivate init(_ socket: String, _ device: String, _ role: ButtonRole) throws {
        client = try VarlinkClient(connectingTo: socket)
        let request = ActionInterface.PressRequest(
            identifier: device,
            name: device,
            accessory: "foot-pedal",
            role: role
        )
        let answers = answers
        client.subscribe(ActionInterface.press.qualifiedName, .encoding(request), timeLimit: awaitLimit) {
            answer,
            continues in
            answers.add(answer)
            if !continues { answers.finish() }
        }
    }

    func release() { client.close() }

    /// The next event, which is of this kind.
    func event(_ kind: ActionInterface.EventKind) async throws -> ActionInterface.Event {
        let reply = try await answers.next().get().decode(ActionInterface.PressReply.self)
        #expect(reply.event.kind == kind, "\(reply.event)")
        return reply.event
    }

    /// Why the action has not begun.
    func refusal() async throws -> String? {
        guard case .failure(.answered(let error)) = try await answers.next() else { return nil }
        return error.parameters["reason"]?.string
    }
}

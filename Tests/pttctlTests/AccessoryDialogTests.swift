import EventLoop
import Foundation
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Takes the place of `ptt-accessoryd` at its socket, with one button. None of its calls ends by itself.
@EventLoop
private final class ScriptedDaemon {
    static let address = "AA:BB:CC:DD:EE:FF"
    static let device = AccessoryDevice(
        kind: .bluetoothButton,
        identifier: address,
        name: "PTT X-1",
        profile: nil,
        mode: .hold,
        link: .ready,
        isPressed: false,
        remark: nil
    )

    /// The `XDG_RUNTIME_DIR` of its clients.
    let directory: String
    private let scratch: Scratch
    private var server: VarlinkServer?
    private var calls: [VarlinkCall] = []

    /// - Parameters:
    ///   - method: Which it has beside `Scan`.
    ///   - handler: Replies to it.
    /// - Throws: If it cannot listen.
    init(_ method: String, _ handler: @escaping @EventLoop (VarlinkCall) -> Void) throws {
        scratch = try Scratch()
        directory = scratch.directory
        try FileManager.default.createDirectory(
            atPath: directory + "/pushtotalk",
            withIntermediateDirectories: true
        )
        let interface = VarlinkInterface(
            """
            interface \(AccessoryInterface.name)
            method Scan() -> ()
            method \(method)() -> ()
            """,
            methods: [
                "Scan": { [weak self] in self?.scan($0) },
                method: { [weak self] in
                    self?.calls.append($0)
                    handler($0)
                },
            ]
        )
        let info = VarlinkServiceInfo(vendor: "", product: "scripted daemon", version: "", url: "")
        let server = VarlinkServer(info, [interface]) { line, _ in print("scripted daemon: \(line)") }
        try server.listen(on: try UnixSocket.listen(at: directory + "/pushtotalk/accessory", .stream))
        self.server = server
    }

    private func scan(_ call: VarlinkCall) {
        calls.append(call)
        let found = AccessoryInterface.Discovery(
            address: Self.address,
            name: Self.device.name,
            rssi: nil,
            profile: nil,
            isPaired: false
        )
        call.reply(.encoding(AccessoryInterface.ScanReply(device: found)), continues: true)
    }

    func configuration(_ name: String) -> String { "\(directory)/config/pushtotalk/\(name)" }

    func pttctl(_ arguments: [String], _ language: Catalogue? = nil) throws -> TestProcess {
        let here: [String: String?] = [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config", "HOME": directory,
        ]
        return try TestProcess(
            [TestProcess.built("pttctl")] + arguments,
            environment: here.merging(language?.environment ?? [:]) { $1 },
            mergesErrors: true
        )
    }
}

/// Questions and messages of the built `pttctl` to a person.
@Suite struct AccessoryDialogTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the question for a key can be ended like any command`() async throws {
        let daemon = try ScriptedDaemon("PairAndTest") {
            $0.fail(VarlinkError(AccessoryInterface.bindKeyNeeded, ["reason": .string("it encrypts")]))
        }
        let pair = try daemon.pttctl(["pair", ScriptedDaemon.address])
        _ = try await pair.lines.first { $0.contains("it encrypts") }
        pair.signal(SIGINT)
        #expect(try await pair.exitStatus() == -SIGINT)
    }

    @Test @EventLoop func `who stops a pairing after the device was enrolled is told that it is`()
        async throws
    {
        let daemon = try ScriptedDaemon("PairAndTest") {
            let reply = AccessoryInterface.PairAndTestReply(.tested, device: ScriptedDaemon.device)
            $0.reply(.encoding(reply), continues: true)
        }
        let pair = try daemon.pttctl(["pair", ScriptedDaemon.address])
        let file = daemon.configuration("devices.toml")
        try await until { access(file, F_OK) == 0 }
        pair.signal(SIGINT)
        let (status, lines) = try await pair.output()
        #expect(status == 0 && lines.last == "enrolled  \(ScriptedDaemon.address)", "\(lines)")
    }

    @Test(arguments: ["ffe0", nil]) @EventLoop
    func `a name that is taken is refused before the person has done anything`(name: String?) async throws {
        let daemon = try ScriptedDaemon("Learn") {
            let device = AccessoryInterface.LearnedDevice(
                identity: "bluetooth:\(ScriptedDaemon.address)",
                name: ScriptedDaemon.device.name,
                transport: "gatt"
            )
            $0.reply(.encoding(AccessoryInterface.LearnReply(device: device)), continues: true)
        }
        // Of an earlier time, whose name is made of that of the device.
        let folder = daemon.configuration("accessories")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: TestProcess.accessories + "/ffe0.toml",
            toPath: folder + "/learned-ptt-x-1.toml"
        )
        let options = name.map { ["--name", $0] } ?? []
        let (status, lines) = try await daemon.pttctl(["learn", ScriptedDaemon.address] + options).output()
        let taken = name ?? "learned-ptt-x-1"
        #expect(status == 1)
        #expect(lines.last?.contains("there is an accessory \(taken): use") == true, "\(lines)")
        let german = try await Catalogue("de")
        let refusal = try daemon.pttctl(["learn", ScriptedDaemon.address] + options, german)
        let last = try await refusal.output().lines.last
        withExtendedLifetime((daemon, german)) {}
        #expect(last?.contains("eine Gerätedatei \(taken) gibt es schon") == true, "\(last ?? "")")
    }

    @Test @EventLoop func `a file of devices that cannot be used is said in the language of the person`()
        async throws
    {
        let daemon = try ScriptedDaemon("PairAndTest") { _ in }
        let file = daemon.configuration("devices.toml")
        let folder = daemon.configuration("")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "[[device".write(toFile: file, atomically: true, encoding: .utf8)
        let german = try await Catalogue("de")
        let pair = try daemon.pttctl(["pair", ScriptedDaemon.address], german)
        let (status, lines) = try await pair.output()
        withExtendedLifetime((daemon, german)) {}
        #expect(status == 1)
        #expect(lines.last?.contains("\(file) kann nicht benutzt werden: ") == true, "\(lines)")
    }
}

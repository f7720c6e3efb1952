import DBus
import EventLoop
import Foundation
import TestSupport
import Testing

@Suite struct AccessoryFileTests {
    init() { withRunningLoop() }

    private static let service = "89a8591d-bb19-485b-9f59-58492bc33e24"

    /// Two characteristics report the talk button, one of them another one too, which never reports its
    /// release.
    private static let file = """
        name = "Two characteristics"
        confidence = "unverified"
        evidence = ["https://example.org"]
        [match]
        service = ["\(service)"]
        [[input]]
        service = "\(service)"
        characteristic = "894c8042-e841-461c-a5c9-5a73d25db08e"
        bytes = { "01" = "talk down", "00" = "talk up" }
        [[input]]
        service = "ffe0"
        characteristic = "ffe1"
        tokens = { "+PTT=P" = "talk down", "+PTT=R" = "talk up", "+CH" = "channel-up tap" }
        """

    @Test @EventLoop func `a button has the services of its file, and each input reports a press`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.path + "/two-\(UInt32.random(in: 0 ... .max)).toml"
        try Self.file.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let fixture = try await SimulatorFixture("--button", "\(path):Other Name", "--known")
        let objects = try await fixture.client.call(.getManagedObjects(of: "org.bluez")).first?
            .asManagedObjects
        let device = objects?[SimulatorFixture.device(1)]?["org.bluez.Device1"]
        #expect(device?["Name"] == .string("Other Name"))
        let characteristics = try ["service000a/char000b", "service000e/char000f"].map {
            try #require(ObjectPath(SimulatorFixture.device(1).text + "/" + $0))
        }
        let uuids = characteristics.map { objects?[$0]?["org.bluez.GattCharacteristic1"]?["UUID"]?.asString }
        #expect(uuids == ["894c8042-e841-461c-a5c9-5a73d25db08e", "0000ffe1-0000-1000-8000-00805f9b34fb"])
        for path in characteristics {
            _ = try await fixture.call("StartNotify", interface: "org.bluez.GattCharacteristic1", on: path)
        }
        let values = AsyncQueue(of: [UInt8]?.self)
        let subscription = fixture.client.subscribe(
            MatchRule(sender: "org.bluez", pathNamespace: "/org/bluez")
        ) {
            if let value = $0.propertyChanges?.changed["Value"] { values.add(value.asBytes) }
        }
        _ = try await fixture.call("Ping", interface: "org.freedesktop.DBus.Peer", on: "/")
        for command in ["press", "release 1 talk", "press channel-up", "release channel-up", "raw 1 2b 2"] {
            #expect(try await fixture.simulator.ask(command) == "ok")
        }
        let texts = ["+PTT=P", "+PTT=R", "+CH", "+"].map { Array($0.utf8) }
        #expect(try await values.next(6) == [[1], texts[0], [0], texts[1], texts[2], texts[3]])
        #expect(
            try await fixture.simulator.ask("press emergency")
                == "error: Two characteristics has no button emergency"
        )
        subscription.cancel()
    }

    @Test @EventLoop func `a value with bits has the other buttons that are held`() async throws {
        let fixture = try await SimulatorFixture("--button", "aina", "--known")
        try await fixture.characteristic(1, "StartNotify")
        for command in ["press emergency", "press", "release emergency", "release"] {
            #expect(try await fixture.simulator.ask(command) == "ok")
        }
        let values = ["2", "3", "1", "0"].map { NotificationTests.value + $0 }
        #expect(try await fixture.signals.next(5).dropFirst() == values[...])
    }

    @Test @EventLoop func `a button that never reports its release sends none`() async throws {
        let fixture = try await SimulatorFixture("--button", "itag", "--known")
        try await fixture.characteristic(1, "StartNotify")
        for command in ["press", "release", "press"] {
            #expect(try await fixture.simulator.ask(command) == "ok")
        }
        let values = ["1", "1"].map { NotificationTests.value + $0 }
        #expect(try await fixture.signals.next(3).dropFirst() == values[...])
    }

    @Test(arguments: ["nothing", "headset-jack", "/nonexistent/x.toml"]) @EventLoop
    func `a file that is missing or not of a button is refused`(file: String) async throws {
        let bus = try await PrivateBus.start()
        let simulator = try TestProcess([
            TestProcess.built("ptt-sim"), "--bus", bus.address, "--button", file,
        ])
        #expect(try await simulator.exitStatus() != 0)
    }
}

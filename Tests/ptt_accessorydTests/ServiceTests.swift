import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

@Suite(.serialized) struct ServiceTests {
    init() { withRunningLoop() }

    @Test(arguments: ["ffe0", "aina", "nordic"]) @EventLoop
    func `a button is found, paired, and heard`(kind: String) async throws {
        let rig = try await Rig.start(buttons: [kind], known: false)
        let found = try await rig.scan()
        #expect(found.address == first)
        #expect(!found.isPaired)
        let reply: AccessoryInterface.PairReply = try await rig.call("Pair", ["address": .string(first)])
        #expect(reply.device.identifier == first)
        #expect(reply.device.link == .ready)
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a paired button comes back by itself`() async throws {
        let rig = try await Rig.start(known: false)
        _ = try await rig.scan()
        let _: AccessoryInterface.PairReply = try await rig.call("Pair", ["address": .string(first)])
        try await rig.ready()
        try await rig.simulate("sleep")
        _ = try await rig.events.first { $0.device?.link == .away }
        try await rig.simulate("wake")
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a forgotten button is gone`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        let _: Nothing = try await rig.call("Forget", ["address": .string(first)])
        #expect(try await rig.next(.deviceRemoved).device?.identifier == first)
        let reply: AccessoryInterface.DevicesReply = try await rig.call("GetDevices")
        #expect(reply.devices.isEmpty)
    }

    @Test @EventLoop func `an address that nobody has cannot be paired`() async throws {
        let rig = try await Rig.start()
        let error = try await rig.failure("Pair", ["address": "00:11:22:33:44:55"])
        #expect(error == AccessoryInterface.deviceNotFound)
        #expect(
            try await rig.failure("Pair", ["address": "nonsense"]) == "org.varlink.service.InvalidParameter"
        )
    }

    @Test @EventLoop func `nothing is found while the adapter is off or away`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("power off")
        _ = try await rig.events.first { $0.device?.link == .away }
        #expect(
            try await rig.failure("Pair", ["address": .string(first)])
                == AccessoryInterface.bluetoothUnavailable
        )
        try await rig.simulate("unplug")
        try await rig.next(.deviceRemoved)
        #expect(
            try await rig.failure("Pair", ["address": .string(first)])
                == AccessoryInterface.bluetoothUnavailable
        )
    }

    @Test @EventLoop func `a subscription begins with all devices and counts its events`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        let client = try rig.client()
        defer { client.close() }
        let updates = Sightings(of: AccessoryInterface.Update.self)
        client.subscribe("\(AccessoryInterface.name).Subscribe") { answer, _ in
            if case .success(let parameters) = answer,
                let update = try? parameters.decode(AccessoryInterface.Update.self)
            {
                updates.add(update)
            }
        }
        let first = try await updates.next()
        #expect(first.devices?.map(\.link) == [.ready])
        try await rig.simulate("press")
        try await rig.simulate("release")
        let events = try await updates.next(2)
        #expect(events.map(\.sequence) == [first.sequence + 1, first.sequence + 2])
        #expect(events.map(\.event?.kind) == [.pressed, .released])
        #expect(events[0].event?.device?.isPressed == true)
    }

    @Test @EventLoop func `a scan needs a client that takes several answers`() async throws {
        let rig = try await Rig.start()
        #expect(try await rig.failure("Scan", ["seconds": 5]) == "org.varlink.service.ExpectedMore")
        #expect(try await rig.failure("Scan", ["seconds": 0]) == "org.varlink.service.InvalidParameter")
    }
}

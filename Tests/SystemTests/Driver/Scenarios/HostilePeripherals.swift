import EventLoop
import PTTMessages

extension Scenario {
    /// A peripheral that misbehaves while other buttons are in use.
    static let hostilePeripherals = [
        Scenario(part: 13, "a button that floods ends no press of another one, and costs no memory") {
            fixture in
            for button in [Button.ffe0, .aina] { try await fixture.paired(button) }
            let application = try await fixture.application()
            try await talkBeside(fixture, application) {
                // Heartbeats and an unknown bit, each of which bluetoothd signals twice. Software emulation
                // leaves no room for more in a second.
                try await ButtonSimulator.perform("flood 1 80,40 600 60")
            }
            application.close()
        },
        Scenario(part: 13, "a button that drops each link harms no other one") { fixture in
            for button in [Button.ffe0, .aina] { try await fixture.paired(button) }
            let application = try await fixture.application()
            try await ButtonSimulator.perform("drop-links 1 on")
            try await talkBeside(fixture, application) {
                try await never("", for: .seconds(10)) { false }
            }
            try await ButtonSimulator.perform("drop-links 1 off")
            try await fixture.ready(.aina)
            application.close()
        },
        Scenario(part: 13, "of two buttons with one name, only the enrolled one transmits") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            let twin = Button(key: "9", file: "ffe0", name: Button.ffe0.name, address: "F0:00:00:00:02:02")
            try await ButtonSimulator.add(twin)
            // It is found, and another program of the machine connects and trusts it, which is no consent.
            _ = try await Command.run(["pttctl", "pair", "nobody", "--seconds", "5"])
            let device = Machine.path(of: twin)
            try await Machine.root(
                "busctl set-property org.bluez \(device) org.bluez.Device1 Trusted b true && "
                    + "busctl --timeout=30 call org.bluez \(device) org.bluez.Device1 Connect"
            )
            let mark = fixture.core.events.count
            _ = try await ButtonSimulator.perform("press \(twin.key)")
            try await never("a transmission begins", for: .seconds(3)) {
                fixture.core.beginnings(after: mark) > 0
            }
            try await fixture.talk(.ffe0, to: application)
            try await Machine.root(Machine.removal(of: twin))
            application.close()
        },
        Scenario(part: 13, "a button that claims 300 services harms no other one") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            let liar = Button(key: "9", file: "ffe0", name: "Liar", address: "F0:00:00:00:02:01")
            try await ButtonSimulator.add(liar, "services=300")
            try await talkBeside(fixture, application) {
                // Whether it can be paired is up to it; it is never pressed.
                _ = try await Command.run(["timeout", "30", "pttctl", "pair", liar.name, "--seconds", "10"])
            }
            _ = try await Command.run(["pttctl", "forget", liar.address])
            // Its services go, one signal for each. Other clients have five seconds for an answer.
            try await Command.output(of: ["pttctl", "devices"])
            application.close()
        },
    ]

    /// Presses of a good button, as long as `misbehaviour` lasts; then looks at the memory of ptt-accessoryd.
    private static func talkBeside(
        _ fixture: GuestFixture,
        _ application: Application,
        _ misbehaviour: @escaping @EventLoop () async throws -> Void
    ) async throws {
        let processID = try await Machine.processID(of: "ptt-accessoryd.service")
        let before = try await Machine.residentKilobytes(of: processID)
        var isOver = false
        var failure: (any Error)?
        let task = Task { @EventLoop in
            do { try await misbehaviour() } catch { failure = error }
            isOver = true
        }
        repeat { try await fixture.talk(.ffe0, to: application) } while !isOver
        await task.value
        if let failure { throw failure }
        let after = try await Machine.residentKilobytes(of: processID)
        guard after < before + 4096 else {
            throw Failure("ptt-accessoryd has grown from \(before) to \(after) kB")
        }
        guard try await Machine.processID(of: "ptt-accessoryd.service") == processID else {
            throw Failure("ptt-accessoryd has ended meanwhile")
        }
    }
}

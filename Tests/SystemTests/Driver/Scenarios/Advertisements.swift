import EventLoop
import PTTMessages

extension Scenario {
    private static let shelly = Button(
        key: "shelly",
        file: "shelly-blu",
        name: "SBBT-002C",
        address: "B4:35:22:00:00:01"
    )

    /// A button that is never connected.
    static let advertisements = [
        Scenario(part: 12, "a button that advertises its presses: pair, talk, and the loss of bluetoothd") {
            fixture in
            try await ButtonSimulator.add(shelly)
            try await fixture.accessories.open()
            let refusal = try await pair(shelly)
            guard refusal.status != 0, refusal.output.contains("Experimental = true") else {
                throw Failure("without its experimental interfaces: \(refusal.output)")
            }
            try await experimental {
                let pairing = try await pair(shelly)
                guard pairing.status == 0 else { throw Failure("pttctl pair failed: \(pairing.output)") }
                try await fixture.ready(shelly)
                let application = try await fixture.application()
                try await twoPressesTalk(fixture, application)
                let mark = fixture.core.events.count
                try await fixture.press(shelly, for: application)
                try await Machine.killBluetoothDaemon()
                try await fixture.ends(.linkLost, after: mark)
                try await isSilent(application, fixture)
                try await fixture.ready(shelly)
                try await twoPressesTalk(fixture, application)
                application.close()
                try await Command.output(of: ["pttctl", "forget", shelly.address])
            }
        }
    ]

    /// `pttctl pair`, with presses until the button is found, and the one that is asked for then.
    private static func pair(_ button: Button) async throws -> (status: Int32?, output: String) {
        let command = try Command(["pttctl", "pair", button.name])
        let isFound: @EventLoop () -> Bool = { command.status != nil || command.output.contains("now press") }
        // The scan begins after its prompt, and hears no press that is over.
        repeat {
            try await ButtonSimulator.press(button)
        } while await !Conditions.wait(.seconds(3), until: isFound)
        if command.status == nil { try await ButtonSimulator.press(button) }
        let status = try await command.end()
        return (status, command.output)
    }

    /// A press, its repetitions, and the next press.
    private static func twoPressesTalk(_ fixture: GuestFixture, _ application: Application) async throws {
        var mark = fixture.core.events.count
        try await fixture.press(shelly, for: application)
        try await never("a repetition ends the transmission", for: .seconds(2)) {
            fixture.core.status?.transmission == nil
        }
        guard fixture.core.beginnings(after: mark) == 1 else {
            throw Failure("a repetition has begun a transmission")
        }
        mark = fixture.core.events.count
        try await ButtonSimulator.press(shelly)
        try await fixture.ends(.released, after: mark)
        try await isSilent(application, fixture)
    }

    /// Runs `body` with a bluetoothd that has its experimental interfaces.
    private static func experimental(_ body: @EventLoop () async throws -> Void) async throws {
        try await restartBluetooth("s/^#\\?Experimental *=.*/Experimental = true/")
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        try await restartBluetooth("s/^Experimental *=.*/#Experimental = false/")
        if let failure { throw failure }
    }

    private static func restartBluetooth(_ edit: String) async throws {
        try await Machine.root("sed -i '\(edit)' /etc/bluetooth/main.conf && systemctl restart bluetooth")
    }
}

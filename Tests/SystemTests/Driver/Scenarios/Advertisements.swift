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
        },
        Scenario(part: 12, "a button that encrypts what it advertises: each loss of reception ends its talk")
        {
            fixture in
            try await ButtonSimulator.add(shelly, "key=\(bindKey)")
            try await fixture.accessories.open()
            try await experimental {
                let pairing = try await pair(shelly, answering: bindKey)
                guard pairing.status == 0 else { throw Failure("pttctl pair failed: \(pairing.output)") }
                try await fixture.ready(shelly)
                let application = try await fixture.application()
                try await twoPressesTalk(fixture, application)
                for loss in losses { try await talkEnds(by: loss, fixture, application) }
                application.close()
                try await Command.output(of: ["pttctl", "forget", shelly.address])
            }
        },
    ]

    private static let bindKey = "90bffd73cb6b26ef58a7a8eba9232036"

    /// A way to end the reception of advertisements, and to bring it back.
    private struct Loss {
        let name: String
        let begin: @EventLoop () async throws -> Void
        let end: @EventLoop () async throws -> Void
    }

    private static let losses = [
        Loss(
            name: "the adapter is switched off",
            begin: { try await Machine.powerAdapter(false) },
            end: { try await Machine.powerAdapter(true) }
        ),
        Loss(
            name: "rfkill blocks the radio",
            begin: { try await Machine.rfkill(isBlocked: true) },
            end: { try await Machine.rfkill(isBlocked: false) }
        ),
        Loss(
            name: "the adapter is unplugged",
            begin: { try await ButtonSimulator.perform("unplug") },
            end: { try await ButtonSimulator.perform("plug") }
        ),
        // bluetoothd releases it, or ends by a segmentation fault (5.82).
        Loss(
            name: "another program removes the monitor",
            begin: { try await Machine.root(removeMonitor) },
            end: {}
        ),
    ]

    /// btmgmt ends with its input, also before it is answered. As an argument 5.87 cannot send a command.
    private static let removeMonitor =
        "monitor() { { echo \"monitor.$*\"; sleep 1; } | btmgmt --index 0; }; "
        + "monitor remove $(monitor features | grep -o '0x[0-9a-f]*' | tail -n 1)"

    private static func talkEnds(
        by loss: Loss,
        _ fixture: GuestFixture,
        _ application: Application
    ) async throws {
        let mark = fixture.core.events.count
        try await fixture.press(shelly, for: application)
        try await loss.begin()
        do { try await fixture.ends(.linkLost, after: mark) } catch {
            throw Failure("\(loss.name): \(error)")
        }
        try await isSilent(application, fixture)
        try await loss.end()
        do { try await fixture.ready(shelly) } catch { throw Failure("after \(loss.name): \(error)") }
        guard fixture.core.beginnings(after: mark) == 1 else {
            throw Failure("after \(loss.name) a transmission has begun by itself")
        }
        try await twoPressesTalk(fixture, application)
    }

    /// `pttctl pair`, with presses until the button is found, and the one that is asked for then; `key` is
    /// what a person answers who is asked for it.
    private static func pair(_ button: Button, answering key: String = "") async throws -> (
        status: Int32?, output: String
    ) {
        let command = try Command(["sh", "-c", "echo \(key) | pttctl pair \(button.name)"])
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

    /// bluetoothd is started before it has switched its adapter on.
    private static func restartBluetooth(_ edit: String) async throws {
        try await Machine.root("sed -i '\(edit)' /etc/bluetooth/main.conf && systemctl restart bluetooth")
        try await eventually("the adapter is on") {
            // At first there is none.
            let property = try? await Command.output(of: [
                "busctl", "--system", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1",
                "Powered",
            ])
            return property?.contains("true") ?? false
        }
    }
}

import EventLoop
import PTTMessages

extension Scenario {
    /// Each fault on the path to a held button ends the transmission, and the button works again afterwards.
    static let radioFaults = [
        heldWhile("the button disconnects", { try await ButtonSimulator.perform("disconnect", on: .ffe0) }),
        heldWhile(
            "the link is lost",
            { try await ButtonSimulator.perform("vanish", on: .ffe0, with: "0.5") },
            { try await ButtonSimulator.perform("return", on: .ffe0) }
        ),
        heldWhile(
            "the adapter is switched off",
            { try await Machine.powerAdapter(false) },
            { try await Machine.powerAdapter(true) }
        ),
        heldWhile(
            "the adapter is unplugged",
            { try await ButtonSimulator.perform("unplug") },
            { try await ButtonSimulator.perform("plug") }
        ),
        heldWhile(
            "rfkill blocks the radio",
            { try await Machine.rfkill(isBlocked: true) },
            { try await Machine.rfkill(isBlocked: false) }
        ),
        // Debian's unit does not restart it; ptt-accessoryd has it started.
        heldWhile("bluetoothd is killed", { try await Machine.killBluetoothDaemon() }),
    ]

    private static func heldWhile(
        _ what: String,
        _ fault: @escaping @EventLoop () async throws -> Void,
        _ cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(part: 3, "\(what) while the button is held: the transmission ends") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await fixture.press(.ffe0, for: application)
            let mark = fixture.core.events.count
            try await fault()
            try await fixture.ends(.linkLost, after: mark)
            try await isSilent(application, fixture)
            try await cure()
            // The person releases and presses again.
            try await ButtonSimulator.perform("release", on: .ffe0)
            try await fixture.ready(.ffe0)
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began when the button came back")
            }
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }
}

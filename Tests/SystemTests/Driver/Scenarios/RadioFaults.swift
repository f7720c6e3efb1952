import EventLoop
import PTTMessages

extension Scenario {
    /// Whatever breaks the path to a button that is held ends the transmission, and the button works again afterwards.
    static let radioFaults = [
        heldWhile("the button disconnects", { try await Hand.tell("disconnect", .ffe0) }),
        heldWhile(
            "the link is lost",
            { try await Hand.tell("vanish", .ffe0, "0.5") },
            { try await Hand.tell("return", .ffe0) }
        ),
        heldWhile(
            "the adapter is switched off",
            { try await Machine.powerAdapter(false) },
            { try await Machine.powerAdapter(true) }
        ),
        heldWhile(
            "the adapter is unplugged",
            { try await Hand.tell("unplug") },
            { try await Hand.tell("plug") }
        ),
        heldWhile(
            "rfkill blocks the radio",
            { try await Machine.rfkill(isBlocked: true) },
            { try await Machine.rfkill(isBlocked: false) }
        ),
        // Debian's unit leaves it dead; ptt-accessoryd has it started.
        heldWhile("bluetoothd is killed", { try await Machine.killBluetoothDaemon() }),
    ]

    private static func heldWhile(
        _ what: String,
        _ fault: @escaping @EventLoop () async throws -> Void,
        _ cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(3, "\(what) while the button is held: the transmission ends") { lab in
            try await lab.paired(.ffe0)
            let application = try await lab.application()
            try await lab.press(.ffe0, for: application)
            let mark = lab.core.events.count
            try await fault()
            try await lab.ends(.linkLost, after: mark)
            try await isSilent(application, lab)
            try await cure()
            // The person lets go and presses again.
            try await Hand.tell("release", .ffe0)
            try await lab.ready(.ffe0)
            guard lab.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began when the button came back")
            }
            try await lab.talk(.ffe0, to: application)
            application.close()
        }
    }
}

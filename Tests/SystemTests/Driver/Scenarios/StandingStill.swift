import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    /// Programs that are there and do nothing: no connection ends, and nobody answers.
    static let standingStill = [
        heldWhileStopped("bluetoothd", "pgrep -x bluetoothd"),
        heldWhileStopped("the system bus", "pgrep -u messagebus -x dbus-daemon"),
        Scenario(
            11,
            "the user's bus stands still: a press that needs it is in vain, and the next one works",
            sessionBus
        ),
    ]

    /// The release comes to nobody then.
    private static func heldWhileStopped(_ what: String, _ find: String) -> Scenario {
        Scenario(11, "\(what) stands still while the button is held: the transmission ends") { lab in
            try await lab.paired(.ffe0)
            let application = try await lab.application()
            try await lab.press(.ffe0, for: application)
            let mark = lab.core.events.count
            try await Machine.root("kill -STOP $(\(find))")
            try await andThen("kill -CONT $(\(find))") {
                try await Hand.tell("release", .ffe0)
                try await lab.ends(.linkLost, after: mark)
                try await isSilent(application, lab)
            }
            try await lab.ready(.ffe0)
            guard lab.core.beginnings(after: mark) == 0 else { throw Failure("it began again by itself") }
            try await lab.talk(.ffe0, to: application)
            application.close()
        }
    }

    private static func sessionBus(_ lab: Lab) async throws {
        try await startEcho(lab)
        try await Machine.kill("ptt-echo")
        try await until("the core has lost it") { lab.core.status?.channel?.application == nil }
        let mark = lab.core.events.count
        let bus = "$(pgrep -u dev -x dbus-daemon)"
        try await Machine.root("kill -STOP \(bus)")
        try await andThen("kill -CONT \(bus)") {
            try await Hand.press(.ffe0)
            try await lab.core.event("the press is in vain", after: mark) {
                if case .transmissionEnded = $0 { true } else { nil }
            }
            try await Machine.nobodyRecords()
            try await Hand.release(.ffe0)
        }
        guard lab.core.status?.channel != nil else { throw Failure("the channel is lost") }
        try await pressAndEcho(lab)
        try await stopEcho()
    }
}

import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    /// Programs that are stopped: no connection ends, and no call is answered.
    static let standingStill = [
        heldWhileStopped("bluetoothd", "pgrep -x bluetoothd"),
        heldWhileStopped("the system bus", "pgrep -u messagebus -x dbus-daemon"),
        Scenario(
            part: 11,
            "the user's bus is stopped: a press that needs it has no effect, and the next one works",
            sessionBus
        ),
    ]

    /// No program receives the release then.
    private static func heldWhileStopped(_ what: String, _ find: String) -> Scenario {
        Scenario(part: 11, "\(what) is stopped while the button is held: the transmission ends") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await fixture.press(.ffe0, for: application)
            let mark = fixture.core.events.count
            try await Machine.root("kill -STOP $(\(find))")
            try await restoring(by: "kill -CONT $(\(find))") {
                try await ButtonSimulator.perform("release", on: .ffe0)
                try await fixture.ends(.linkLost, after: mark)
                try await isSilent(application, fixture)
            }
            try await fixture.ready(.ffe0)
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began without a press")
            }
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }

    private static func sessionBus(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        try await Machine.kill("ptt-echo")
        try await until("the core has lost it") { fixture.core.status?.channel?.application == nil }
        let mark = fixture.core.events.count
        let bus = "$(pgrep -u dev -x dbus-daemon)"
        try await Machine.root("kill -STOP \(bus)")
        try await restoring(by: "kill -CONT \(bus)") {
            try await ButtonSimulator.press(.ffe0)
            try await fixture.core.event("the press has no effect", after: mark) {
                if case .transmissionEnded = $0 { true } else { nil }
            }
            try await Machine.nothingRecords()
            try await ButtonSimulator.release(.ffe0)
        }
        guard fixture.core.status?.channel != nil else { throw Failure("the channel is lost") }
        try await pressAndEcho(fixture)
        try await stopEcho()
    }
}

import EventLoop
import Input
import PTTMessages

extension Scenario {
    /// The user as on most machines: in no group that may read input devices, with a session at the screen.
    static let seatAccess = [
        Scenario(
            part: 14,
            "without the group input a headset works in the session at the screen, and for no other user",
            worksAtTheScreen
        )
    ]

    private static func worksAtTheScreen(_ fixture: GuestFixture) async throws {
        try await withoutGroup {
            let headset = try await Headset.plugIn("System Test Headset")
            try await fixture.accessories.open()
            try await until("the headset is listed without being used") {
                fixture.accessories.device(named: headset.name)?.link == .unused
            }
            try await atTheScreen { own in
                let identifier = try await headset.ready(fixture.accessories)
                try await fixture.accessories.reachesCore()
                let application = try await fixture.application()
                let mark = fixture.core.events.count
                try await headset.press(.playPause)
                try await fixture.began(identifier, after: mark)
                try await application.receivesTone()
                let other = try await Seat.logIn("root", terminal: 4)
                try await other.activate()
                // The device is closed, or the session is reported, whichever comes first.
                try await fixture.ends(.sessionInactive, .deviceRemoved, after: mark)
                try await until("the headset is closed") {
                    fixture.accessories.device(identifier)?.link == .unused
                }
                let later = fixture.core.events.count
                try await headset.press(.playPause)
                try await nothingBegins(fixture, after: later)
                try await own.activate()
                _ = try await headset.ready(fixture.accessories)
                try await nothingBegins(fixture, after: later)
                try await headset.press(.playPause)
                try await fixture.began(identifier, after: later)
                try await headset.press(.playPause)
                try await fixture.ends(.released, after: later)
                application.close()
            }
            headset.unplug()
        }
    }

    /// The groups of a service manager are those of its start.
    private static func withoutGroup(_ body: @EventLoop () async throws -> Void) async throws {
        do {
            try await restartManager("gpasswd -d dev input")
            try await body()
        } catch {
            try await restartManager("gpasswd -a dev input")
            throw error
        }
        try await restartManager("gpasswd -a dev input")
    }

    private static func restartManager(_ change: String) async throws {
        try await Machine.root(
            "systemctl stop user@1000.service && \(change) && systemctl start user@1000.service"
        )
        try await Machine.microphoneIsBack()
    }
}

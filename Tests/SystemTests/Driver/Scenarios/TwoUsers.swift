import EventLoop
import PTTMessages

extension Scenario {
    /// Two people of one machine, each with daemons of their own on one system bus.
    static let twoUsers = [
        Scenario(
            part: 18,
            "of two users, the button that one has enrolled presses nothing for the other",
            eachTheirOwn
        ),
        Scenario(
            part: 18,
            "the button of a user whose session is not active presses nothing for anyone",
            notActive
        ),
        Scenario(part: 18, "neither daemon starts for the user of a login screen") { _ in
            try await loginScreen(number: 999, group: "nogroup")
            // As of GDM 49.
            try await loginScreen(number: 60_600, group: "gdm")
        },
    ]

    private static let second = Button(key: "9", file: "ffe0", name: "PTT-Z04", address: "F0:00:00:00:04:01")

    private static func loginScreen(number: Int, group: String) async throws {
        let removal =
            "systemctl stop user@\(number) || true; loginctl disable-linger greeter; "
            + "userdel --remove --force greeter; groupdel gdm || true"
        try await restoring(by: removal) {
            try await Machine.root(
                "groupadd --force gdm && useradd -m -u \(number) -g \(group) -d /run/greeter greeter && "
                    + "loginctl enable-linger greeter"
            )
            let manager =
                "setpriv --reuid greeter --regid \(group) --init-groups env XDG_RUNTIME_DIR=/run/user/\(number) "
                + "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/\(number)/bus systemctl --user"
            try await eventually("the service manager of the login screen is up") {
                try await Machine.root("\(manager) is-system-running --wait || true").hasPrefix("running")
            }
            // As udev does for a headset.
            let result = try await Machine.root(
                "\(manager) start ptt-accessoryd; \(manager) show -P ConditionResult ptt-accessoryd; "
                    + "\(manager) is-active ptt-accessoryd pttd || true"
            )
            guard result == "no\ninactive\ninactive\n" else { throw Failure("a daemon starts: \(result)") }
        }
    }

    private static func eachTheirOwn(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await OtherUser.present(fixture) { other in
            try await ButtonSimulator.add(second)
            try await other.pair(second)
            // Nobody's session is at the screen, so that either may transmit.
            let quiet = other.mark
            try await fixture.talk(.ffe0, to: application)
            try await Machine.nothingRecords()
            try await other.nothingBegins(after: quiet)
            let mark = fixture.core.events.count
            try await other.talk(second)
            try await nothingBegins(fixture, after: mark)
            guard fixture.core.events.count == mark else {
                throw Failure("the core has published \(fixture.core.events[mark...])")
            }
        }
        application.close()
    }

    private static func notActive(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await OtherUser.present(fixture) { other in
            try await ButtonSimulator.add(second)
            try await other.pair(second)
            try await atTheScreen { own in
                let theirs = try await Seat.logIn(OtherUser.name, terminal: 4)
                try await own.activate()
                try await other.reaches(second, link: "unused")
                let quiet = other.mark
                let mark = fixture.core.events.count
                try await ButtonSimulator.perform("press", on: second)
                try await nothingBegins(fixture, after: mark)
                try await other.nothingBegins(after: quiet)
                try await ButtonSimulator.release(second)
                try await fixture.talk(.ffe0, to: application)
                // The other way round.
                try await theirs.activate()
                try await until("the button is released") {
                    fixture.accessories.device(Button.ffe0.address)?.link == .unused
                }
                let later = fixture.core.events.count
                try await ButtonSimulator.perform("press", on: .ffe0)
                try await nothingBegins(fixture, after: later)
                try await ButtonSimulator.release(.ffe0)
                try await other.reaches(second, link: "ready")
                try await other.talk(second)
                try await nothingBegins(fixture, after: later)
                try await own.activate()
            }
        }
        try await fixture.ready(.ffe0)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }
}

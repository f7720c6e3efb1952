import EventLoop
import PTTMessages

extension Scenario {
    /// Sessions at the screen; which one is active changes, as on a machine that two people share.
    static let seat = [
        Scenario(
            part: 10,
            "another user's session in front ends a transmission, and the button is not heard there",
            anotherInFront
        ),
        Scenario(part: 10, "a locked screen alone neither ends a transmission nor refuses one", locked),
    ]

    private static func anotherInFront(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await fixture.press(.ffe0, for: application)
            let mark = fixture.core.events.count
            let other = try await Seat.logIn("root", terminal: 4)
            try await other.activate()
            try await fixture.ends(.sessionInactive, after: mark)
            // The button may have no subscriber now.
            try await ButtonSimulator.perform("release \(Button.ffe0.key)")
            try await ButtonSimulator.perform("press \(Button.ffe0.key)")
            try await nothingBegins(fixture, after: mark)
            try await Machine.nothingRecords()
            // Returning to the session is not a press.
            try await own.activate()
            try await fixture.ready(.ffe0)
            try await nothingBegins(fixture, after: mark)
            try await ButtonSimulator.release(.ffe0)
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }

    static func nothingBegins(_ fixture: GuestFixture, after mark: Int) async throws {
        try await never("a transmission begins", for: .seconds(3)) {
            fixture.core.beginnings(after: mark) > 0
        }
    }

    private static func locked(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await fixture.press(.ffe0, for: application)
            try await own.setLocked(true)
            try await application.receivesTone()
            try await fixture.release(.ffe0)
            try await fixture.talk(.ffe0, to: application)
            try await own.setLocked(false)
            application.close()
        }
    }

    /// Runs `body` with an active session of the desktop user, and logs all users out afterwards, also if it
    /// throws.
    static func atTheScreen(_ body: @EventLoop (Seat.Session) async throws -> Void) async throws {
        do {
            let own = try await Seat.logIn("dev", terminal: 3)
            try await own.activate()
            try await body(own)
        } catch {
            try await Seat.logOutAll()
            throw error
        }
        try await Seat.logOutAll()
    }
}

/// The seat of the guest. It has virtual terminals, and no screen.
@EventLoop
enum Seat {
    /// A session at one of the terminals.
    struct Session {
        let identifier: String

        /// Brings it to the front.
        @EventLoop
        func activate() async throws {
            try await Machine.root("loginctl activate \(identifier)")
            try await Seat.until("Active", of: identifier, is: "yes")
        }

        /// As a screen locker does.
        @EventLoop
        func setLocked(_ isLocked: Bool) async throws {
            let login = "org.freedesktop.login1"
            let manager = "\(login) /org/freedesktop/login1 \(login).Manager"
            let path = "$(busctl call \(manager) GetSession s \(identifier) | cut -d '\"' -f 2)"
            let hint = "\(login).Session SetLockedHint b \(isLocked)"
            try await Machine.root("busctl call \(login) \(path) \(hint)")
            try await Seat.until("LockedHint", of: identifier, is: isLocked ? "yes" : "no")
        }
    }

    /// A session as after a login at a terminal, behind the one in front.
    static func logIn(_ user: String, terminal: Int) async throws -> Session {
        let name = "tty\(terminal)"
        try await Machine.root(
            "systemd-run --quiet --unit=seat-\(name) -p User=\(user) -p PAMName=login -p TTYPath=/dev/\(name) "
                + "-p StandardInput=tty -p TTYReset=yes sleep infinity"
        )
        var identifier = ""
        try await eventually("\(user) has logged in at \(name)") {
            identifier = try await sessions().first { $0.terminal == name }?.identifier ?? ""
            return !identifier.isEmpty
        }
        return Session(identifier: identifier)
    }

    /// Ends all sessions.
    static func logOutAll() async throws {
        try await Machine.root("systemctl stop 'seat-*'; systemctl reset-failed 'seat-*' || true")
        try await eventually("nobody is logged in") {
            try await sessions().isEmpty
        }
    }

    /// The sessions of persons. Since systemd 256 the manager of a user who only lingers is in the list, too.
    private static func sessions() async throws -> [(identifier: String, terminal: String)] {
        let list = "loginctl list-sessions --no-legend | awk '{ print $1 }'"
        let show = "loginctl show-session --value -p Class -p TTY"
        let lines = try await Machine.root("for s in $(\(list)); do echo $s $(\(show) $s); done")
        return lines.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // One that has just ended has no properties.
            return words.count < 2 || words.contains { $0.hasPrefix("manager") }
                ? nil
                : (String(words[0]), words.dropFirst().first { $0.hasPrefix("tty") }.map(String.init) ?? "")
        }
    }

    private static func until(_ property: String, of session: String, is value: String) async throws {
        try await eventually("\(property) of session \(session) is \(value)") {
            try await Machine.root("loginctl show-session --value -p \(property) \(session)") == value + "\n"
        }
    }
}

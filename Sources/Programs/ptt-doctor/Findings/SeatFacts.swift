import CommandLineTool
import PTTMessages

/// The sessions in which this user is logged in (org.freedesktop.login1(5)).
struct SeatFacts: Equatable, Sendable {
    struct Session: Equatable, Sendable {
        var identifier: String
        /// Empty for a session over a network, or of a service.
        var seat: String
        /// In front of the screen now.
        var isActive: Bool
    }

    /// The sessions of this user.
    var sessions: [Session]
    /// True if the user's services run without a login (`loginctl enable-linger`).
    var lingers: Bool

    /// True if the kernel's access lists give this user the headsets of a seat.
    var isAtSeat: Bool { sessions.contains { !$0.seat.isEmpty && $0.isActive } }

    static func findings(_ facts: Result<SeatFacts, Silence>) -> [Finding] {
        switch facts {
        case .success(let facts): facts.findings
        case .failure(.timedOut):
            Check.seat.warning(
                Text("logind does not answer"),
                cure: .command("sudo systemctl restart systemd-logind")
            )
        case .failure(.unreachable(let reason)):
            Check.seat.warning(
                Text("logind cannot be asked who sits at the screen: \(reason)"),
                cure: .command("sudo systemctl start dbus systemd-logind")
            )
        }
    }

    private var findings: [Finding] {
        if let session = sessions.first(where: { !$0.seat.isEmpty && $0.isActive }) {
            let active = Text("session \(session.identifier) is active at \(session.seat)")
            guard lingers else { return Check.seat.ok(active) }
            return Check.seat.ok(
                Text(
                    "\(active); the services also run without a login, and then no wired headset can be read"
                )
            )
        }
        if let session = sessions.first(where: { !$0.seat.isEmpty }) {
            return Check.seat.warning(
                Text(
                    "another user's session is in front of \(session.seat): transmissions are refused until this one is back"
                ),
                cure: .command("loginctl activate \(ShellArgument(session.identifier))")
            )
        }
        return Check.seat.warning(
            Text("no session at a screen: wired headsets cannot be read, Bluetooth buttons can"),
            cure: .advice(Text("log in at the screen to use a wired headset"))
        )
    }
}

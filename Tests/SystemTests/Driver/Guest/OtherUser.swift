import EventLoop
import JSON

/// A second user of the machine, with a service manager, a sound server and both daemons of its own.
@EventLoop
final class OtherUser {
    static let name = "second"

    /// One for each scenario: systemd may not yet have unmounted the runtime directory of a user who was
    /// removed.
    private static var number = 1000
    private static var runtime: String { "/run/user/\(number)" }
    /// Runs a command as that user.
    private static var prefix: [String] {
        [
            "sudo", "-n", "setpriv", "--reuid", name, "--regid", name, "--init-groups", "env",
            "HOME=/home/\(name)", "XDG_RUNTIME_DIR=\(runtime)",
            "DBUS_SESSION_BUS_ADDRESS=unix:path=\(runtime)/bus",
        ]
    }

    private let fixture: GuestFixture
    private let monitor: Command

    /// Runs `body` while the user is there, with a channel joined, and removes the user afterwards, also if
    /// it throws.
    static func present(
        _ fixture: GuestFixture,
        _ body: @EventLoop (OtherUser) async throws -> Void
    ) async throws {
        number += 1
        let removal =
            "systemctl stop second-monitor user@\(number) || true; loginctl disable-linger \(name); "
            + "userdel --remove --force \(name)"
        try await Scenario.restoring(by: removal) {
            // Lingering starts the service manager without a login, as that of `dev`.
            try await Machine.root(
                "useradd -m -u \(number) -G audio,input \(name) && loginctl enable-linger \(name)"
            )
            try await eventually("the service manager of \(name) is up") {
                try await Command.run(prefix + ["systemctl", "--user", "is-system-running", "--wait"]).output
                    .hasPrefix("running")
            }
            // The packages have enabled them for all users.
            try await run("systemctl", "--user", "is-active", "pttd.socket", "ptt-accessoryd.socket")
            try await body(try await OtherUser(fixture))
        }
    }

    private init(_ fixture: GuestFixture) async throws {
        self.fixture = fixture
        monitor = try Command([
            "sudo", "-n", "systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--unit=second-monitor",
            "--property=User=\(Self.name)", "--setenv=XDG_RUNTIME_DIR=\(Self.runtime)", "pttctl", "monitor",
            "--json",
        ])
        try await Self.run("pttctl", "join")
        try await until("the core of \(Self.name) has an audio server") { [monitor] in
            monitor.output.contains("\"isAudioServerReady\":true")
                || monitor.output.contains("\"audioServerReady\"")
        }
    }

    @discardableResult
    private static func run(_ command: String...) async throws -> String {
        try await Command.output(of: prefix + command)
    }

    func pair(_ button: Button) async throws {
        try await fixture.pair(button, by: Self.prefix)
        try await reaches(button, link: "ready")
    }

    /// Waits until the daemon of this user lists the button so.
    func reaches(_ button: Button, link: String) async throws {
        try await eventually("\(button.name) is \(link) for \(Self.name)") {
            let text = try await Self.run("pttctl", "devices", "--json")
            guard case .array(let devices)? = try JSON(parsing: text).object?["devices"] else { return false }
            let device = devices.compactMap(\.object).first { $0["identifier"]?.string == button.address }
            return device?["link"]?.string == link
        }
    }

    /// Press, capture, release.
    func talk(_ button: Button) async throws {
        let start = mark
        try await ButtonSimulator.press(button)
        // A sound card belongs to the sound server of one user: without it the transmission ends by itself.
        try await until("a transmission of \(Self.name) begins") { [self] in
            has("transmissionBegan", after: start)
        }
        try await ButtonSimulator.release(button)
        try await until("the transmission of \(Self.name) ends") { [self] in
            has("transmissionEnded", after: start)
        }
        try await eventually("no capture stream of \(Self.name) is left") {
            try await Self.run("pactl", "list", "short", "source-outputs").isEmpty
        }
    }

    /// The number of lines published so far.
    var mark: Int { monitor.output.count }

    /// Neither a transmission nor the refusal of one: no request has reached the core of this user.
    func nothingBegins(after mark: Int) async throws {
        try await never("a press has reached the core of \(Self.name)", for: .seconds(3)) { [self] in
            has("transmissionBegan", after: mark) || has("transmissionRefused", after: mark)
        }
    }

    private func has(_ event: String, after mark: Int) -> Bool {
        monitor.output.dropFirst(mark).contains("\"\(event)\"")
    }
}

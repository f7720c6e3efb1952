import EventLoop
import PTTMessages

extension Scenario {
    /// Files that cannot be read, a disk that cannot be written, and the files of the machine.
    static let fileFaults = [
        Scenario(part: 8, "while a policy cannot be read, no application can join", unreadablePolicy),
        Scenario(
            part: 8,
            "a channel that is left while nothing can be saved is not joined again",
            cannotBeSaved
        ),
        Scenario(
            part: 8,
            "a button and settings in /etc/pushtotalk are for each user, whose own file is over them",
            filesOfTheMachine
        ),
    ]

    private static let configuration = "/home/dev/.config/pushtotalk"
    private static let state = "/home/dev/.local/state/pushtotalk"

    /// Behind a link, and below a directory that only root may list, as `/home` often is.
    private static func unreadablePolicy(_ fixture: GuestFixture) async throws {
        let target = "/home/dev/policies/policy.toml"
        try await fixture.core.open()
        try await Machine.root("chmod 711 /home")
        try await restoring(by: "rm -rf \(configuration) /home/dev/policies; chmod 755 /home") {
            try await Command.output(of: [
                "sh", "-c",
                "mkdir -p \(configuration) /home/dev/policies && touch \(target) && chmod 0 \(target)"
                    + " && ln -s \(target) \(configuration)/policy.toml",
            ])
            fixture.core.close()
            try await Machine.systemctl("restart", "pttd")
            try await fixture.core.open()
            let (status, output) = try await Command.run(["pttctl", "join"])
            guard status == 1, output.contains("\(configuration)/policy.toml") else {
                throw Failure("pttctl join ended with \(status): \(output)")
            }
            try await Command.output(of: ["chmod", "600", target])
            try await eventually("the policy is in force") {
                try await Command.run(["pttctl", "join"]).status == 0
            }
            try await until("the channel is joined") { fixture.core.status?.channel != nil }
            let closed = "[[closed]]\\nfrom = \"00:00\"\\nto = \"24:00\"\\n"
            try await Command.output(of: ["sh", "-c", "printf '\(closed)' > \(target).new"])
            try await Command.output(of: ["mv", "\(target).new", target])
            try await until("another policy is in force") {
                fixture.core.status.map { $0.channel == nil } ?? false
            }
        }
        try await eventually("nothing is forbidden any more") {
            try await Command.run(["pttctl", "join"]).status == 0
        }
    }

    private static func cannotBeSaved(_ fixture: GuestFixture) async throws {
        try await fixture.core.open()
        try await Command.output(of: ["pttctl", "join"])
        try await Machine.root("chown root \(state)")
        try await restoring(by: "chown dev \(state)") {
            try await Command.output(of: ["pttctl", "leave"])
            try await until("the failure is reported") { fixture.core.status?.saveFailure != nil }
            let output = try await Command.output(of: ["pttctl", "status"])
            guard output.contains(state) else { throw Failure("pttctl status printed \(output)") }
            fixture.core.close()
            try await Machine.systemctl("restart", "pttd")
            try await fixture.core.open()
            guard fixture.core.status?.channel == nil else { throw Failure("the channel is back") }
        }
        try await until("it is saved") { fixture.core.status?.saveFailure == nil }
        try await eventually("the channel is not on disk") {
            try await Command.run(["test", "-e", "\(state)/channel.json"]).status != 0
        }
    }

    private static func filesOfTheMachine(_ fixture: GuestFixture) async throws {
        let machine = "/etc/pushtotalk"
        try await fixture.paired(.aina)
        try await restoring(by: "rm -rf \(machine)") {
            try await Machine.root(
                "mkdir -p \(machine) && mv \(configuration)/devices.toml \(machine)/"
                    + " && printf 'time-limit = 40\\nrelease-lag = 30\\n' > \(machine)/pttd.toml"
            )
            fixture.accessories.close()
            try await Machine.systemctl("restart", "ptt-accessoryd")
            try await fixture.accessories.open()
            try await fixture.configured("release-lag = 10") {
                guard fixture.core.status?.timeLimit == 40 else {
                    throw Failure("the machine's time limit is not read")
                }
                try await fixture.ready(.aina)
                let application = try await fixture.application()
                try await fixture.talk(.aina, to: application)
                let (status, output) = try await Command.run(["pttctl", "forget", Button.aina.address])
                guard output.contains("\(machine)/devices.toml") else {
                    throw Failure("pttctl forget ended with \(status): \(output)")
                }
                application.close()
            }
            try await fixture.configured("time-limit = 20") {
                guard fixture.core.status?.timeLimit == 20 else {
                    throw Failure("the person's time limit is not over the machine's")
                }
            }
            // It loses nothing of the person's, and says so.
            try await Machine.root("echo broken > \(machine)/pttd.toml")
            try await fixture.configured("time-limit = 20") {
                guard fixture.core.status?.timeLimit == 20 else {
                    throw Failure("a broken file of the machine takes the person's settings away")
                }
            }
        }
        // With a broken file a locked screen refuses.
        try await fixture.restartCore()
    }

    /// Runs `script` as root after `body`, also if that throws.
    static func restoring(by script: String, _ body: @EventLoop () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            try await Machine.root(script)
            throw error
        }
        try await Machine.root(script)
    }
}

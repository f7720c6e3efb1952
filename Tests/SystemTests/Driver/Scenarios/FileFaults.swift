import EventLoop
import PTTMessages

extension Scenario {
    /// Files that cannot be read, and a disk that cannot be written.
    static let fileFaults = [
        Scenario(8, "a policy that cannot be read lets nobody join until it can be read", unreadablePolicy),
        Scenario(8, "a channel that is left while nothing can be saved is not joined again", cannotBeSaved),
    ]

    private static let configuration = "/home/dev/.config/pushtotalk"
    private static let state = "/home/dev/.local/state/pushtotalk"

    /// Behind a link, and below a directory that only root may list, as `/home` often is.
    private static func unreadablePolicy(_ lab: Lab) async throws {
        let target = "/home/dev/policies/policy.toml"
        try await lab.core.open()
        try await Machine.root("chmod 711 /home")
        try await andThen("rm -rf \(configuration) /home/dev/policies; chmod 755 /home") {
            try await Command.output(of: [
                "sh", "-c",
                "mkdir -p \(configuration) /home/dev/policies && touch \(target) && chmod 0 \(target)"
                    + " && ln -s \(target) \(configuration)/policy.toml",
            ])
            lab.core.close()
            try await Machine.systemctl("restart", "pttd")
            try await lab.core.open()
            let (status, output) = try await Command.run(["pttctl", "join"])
            guard status == 1, output.contains("\(configuration)/policy.toml") else {
                throw Failure("pttctl join ended with \(status): \(output)")
            }
            try await Command.output(of: ["chmod", "600", target])
            try await eventually("the policy counts") {
                try await Command.run(["pttctl", "join"]).status == 0
            }
            try await until("the channel is joined") { lab.core.status?.channel != nil }
            let closed = "[[closed]]\\nfrom = \"00:00\"\\nto = \"24:00\"\\n"
            try await Command.output(of: ["sh", "-c", "printf '\(closed)' > \(target).new"])
            try await Command.output(of: ["mv", "\(target).new", target])
            try await until("another policy counts") { lab.core.status.map { $0.channel == nil } ?? false }
        }
        try await eventually("nothing is forbidden any more") {
            try await Command.run(["pttctl", "join"]).status == 0
        }
    }

    private static func cannotBeSaved(_ lab: Lab) async throws {
        try await lab.core.open()
        try await Command.output(of: ["pttctl", "join"])
        try await Machine.root("chown root \(state)")
        try await andThen("chown dev \(state)") {
            try await Command.output(of: ["pttctl", "leave"])
            try await until("the failure is told") { lab.core.status?.saveFailure != nil }
            let said = try await Command.output(of: ["pttctl", "status"])
            guard said.contains(state) else { throw Failure("pttctl status says \(said)") }
            lab.core.close()
            try await Machine.systemctl("restart", "pttd")
            try await lab.core.open()
            guard lab.core.status?.channel == nil else { throw Failure("the channel is back") }
        }
        try await until("it is saved") { lab.core.status?.saveFailure == nil }
        guard try await Command.run(["test", "-e", "\(state)/channel.json"]).status != 0 else {
            throw Failure("the channel is on disk")
        }
    }

    /// Whatever becomes of `body`, `cure` is run as root after it.
    static func andThen(_ cure: String, _ body: @EventLoop () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            try await Machine.root(cure)
            throw error
        }
        try await Machine.root(cure)
    }
}

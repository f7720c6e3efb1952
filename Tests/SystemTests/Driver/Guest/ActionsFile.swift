import EventLoop

/// The `actions.toml` of the desktop user, and what the commands in it have written.
@EventLoop
enum ActionsFile {
    private static let path = "/home/dev/.config/pushtotalk/actions.toml"
    private static let log = "/home/dev/actions.log"

    /// An entry whose commands write `press` and `release`, a line each.
    ///
    /// - Parameter subject: The line that names the device or the accessory file.
    /// - Returns: The entry, as it stands in the file.
    static func commands(of subject: String) -> String {
        let lines = ["press", "release"].map { "\($0) = [\"sh\", \"-c\", \"echo \($0) >> \(log)\"]" }
        return (["[[action]]", subject, "button = \"talk\""] + lines).joined(separator: "\n")
    }

    /// Runs `body` while a file with these entries counts, and removes it, also if `body` throws.
    static func with(_ entries: [String], _ body: @EventLoop () async throws -> Void) async throws {
        let text = entries.joined(separator: "\n").replacing("\n", with: "\\n")
        try await Command.output(of: [
            "sh", "-c", "mkdir -p ${0%/*} && printf '\(text)\\n' > $0.new && mv $0.new $0", path,
        ])
        try await Scenario.restoring(by: "rm -f \(path) \(log)") {
            try await eventually("the service of the actions runs") {
                try await Machine.isActive("ptt-actions.service")
            }
            try await body()
        }
    }

    /// What the commands have written since ``forget()``, a line each.
    static func written() async throws -> [String] {
        // There is no file before the first command.
        try await Command.run(["cat", log]).output.split(separator: "\n").map { String($0) }
            .filter { ["press", "release"].contains($0) }
    }

    static func forget() async throws {
        try await Command.output(of: ["rm", "-f", log])
    }

    /// The commands have written this.
    static func has(_ lines: String..., during step: String) async throws {
        try await eventually("\(step): the commands have written \(lines)") { try await written() == lines }
    }
}

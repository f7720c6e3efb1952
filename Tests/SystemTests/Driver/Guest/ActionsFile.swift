import EventLoop

/// The `actions.toml` of the desktop user, and what the commands in it have written.
@EventLoop
enum ActionsFile {
    private static let path = "/home/dev/.config/pushtotalk/actions.toml"
    private static let log = "/home/dev/actions.log"

    /// An entry whose commands write a line each: `press` or `release`, and the invocation of their unit,
    /// which is the same for a press and its release (systemd.exec(5), `$INVOCATION_ID`).
    ///
    /// - Parameter subject: The line that names the device or the accessory file.
    /// - Returns: The entry, as it stands in the file.
    static func commands(of subject: String) -> String {
        let lines = ["press", "release"].map {
            "\($0) = [\"sh\", \"-c\", \"echo \($0) $INVOCATION_ID >> \(log)\"]"
        }
        return (["[[action]]", subject, "button = \"talk\""] + lines).joined(separator: "\n")
    }

    /// Runs `body` while a file with these entries counts, and removes it, also if `body` throws.
    static func with(_ entries: [String], _ body: @EventLoop () async throws -> Void) async throws {
        let text = entries.joined(separator: "\n").replacing("\n", with: "\\n")
        // A press that a scenario before has left may have written since.
        let forget = "rm -f \(log) \(ReceivedRecordings.log)"
        try await Command.output(of: [
            "sh", "-c", "\(forget); mkdir -p ${0%/*} && printf '\(text)\\n' > $0.new && mv $0.new $0", path,
        ])
        try await Scenario.restoring(by: "rm -f \(path); \(forget)") {
            try await eventually("the service of the actions runs") {
                try await Machine.isActive("ptt-actions.service")
            }
            try await body()
        }
    }

    /// The words that commands have written since ``forget()``.
    static func written() async throws -> [String] { try await lines().map(\.word) }

    /// The invocations of the commands that have run since then.
    static func invocations(of word: String) async throws -> [String] {
        try await lines().filter { $0.word == word }.map(\.invocation)
    }

    private static func lines() async throws -> [(word: String, invocation: String)] {
        // There is no file before the first command.
        try await Command.run(["cat", log]).output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map { String($0) }
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }

    static func forget() async throws {
        try await Command.output(of: ["rm", "-f", log])
    }

    /// The commands have written this.
    static func has(_ lines: String..., during step: String) async throws {
        try await eventually("\(step): the commands have written \(lines)") { try await written() == lines }
    }
}

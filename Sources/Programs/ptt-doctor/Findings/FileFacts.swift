import CommandLineTool
import PTTMessages

/// The files of this user that the daemons read and write.
struct FileFacts: Equatable, Sendable {
    /// A file that configures something, and why it cannot be used; nil if it can, or is not there.
    struct Configured: Equatable, Sendable {
        var path: String
        var problem: String?
    }

    /// The actions of buttons that do not transmit.
    struct Actions: Equatable, Sendable {
        /// The `actions.toml` that cannot be used.
        var unusable: Configured?
        var count: Int
        /// The keys that an action holds, and root has not granted.
        var refusedKeys: [String] = []
    }

    /// `~/.local/state/pushtotalk`
    struct StateDirectory: Equatable, Sendable {
        var path: String
        /// Nil if there is none.
        var owner: UInt32?
        /// The permission bits.
        var mode: UInt32
        var isWritable: Bool
        /// The amount that this user may still write to its disk, in bytes.
        var free: UInt64
    }

    /// `pttd.toml`; nil without a home directory.
    var configuration: Configured?
    /// `microphone` of the configuration.
    var preferences: [String] = []
    /// Each `policy.toml`.
    var policies: [Configured] = []
    /// True if a policy forbids to join now.
    var isClosed = false
    /// `devices.toml`; nil without a home directory.
    var enrolments: Configured?
    /// The buttons of `devices.toml`, named by the person or by the address, which is in upper case.
    var enrolled: [BluetoothFacts.Button] = []
    /// Nil without any.
    var actions: Actions?
    var state: StateDirectory?

    /// A line for each kind of file; for actions only if there are some. `facts` are nil if the disk did not
    /// answer within the time limit, and `userID` should own the state.
    static func findings(_ facts: FileFacts?, userID: UInt32) -> [Finding] {
        guard let facts else {
            return Check.configuration.failure(
                Text("the disk with the home directory does not answer"),
                cure: .command("findmnt --target \"$HOME\"")
            )
        }
        let actions = facts.actions.map(finding) ?? []
        return facts.configurationFinding + facts.policyFinding + facts.enrolmentFinding + actions
            + facts.stateFinding(userID)
    }

    private static func edit(_ path: String) -> String {
        path.hasPrefix("/etc") ? "sudo -e \(ShellArgument(path))" : "${EDITOR:-vi} \(ShellArgument(path))"
    }

    private var configurationFinding: [Finding] {
        guard let configuration else {
            return Check.configuration.failure(
                Text("HOME is not set: no configuration is read, and no channel is kept"),
                cure: .advice(Text("log in as this user, at the screen or with ssh"))
            )
        }
        guard let problem = configuration.problem else {
            return Check.configuration.ok(Text("\(configuration.path) can be used, or is not there"))
        }
        return Check.configuration.failure(
            Text("\(configuration.path) is not in force: \(problem)"),
            cure: .command("\(Self.edit(configuration.path)) && systemctl --user restart pttd")
        )
    }

    private var policyFinding: [Finding] {
        for policy in policies {
            guard let problem = policy.problem else { continue }
            return Check.policy.failure(
                Text("\(policy.path) cannot be used, so that no application may join: \(problem)"),
                cure: .command(Self.edit(policy.path))
            )
        }
        if isClosed, let policy = policies.last {
            return Check.policy.warning(
                Text(
                    "no channel may be joined at this hour: [[closed]] of \(policies.map(\.path).joined(separator: ", "))"
                ),
                cure: .command(Self.edit(policy.path))
            )
        }
        return Check.policy.ok(Text("applications may join now"))
    }

    private var enrolmentFinding: [Finding] {
        guard let enrolments, let problem = enrolments.problem else {
            return Check.buttons.ok(Text("devices.toml can be used, or is not there"))
        }
        return Check.buttons.failure(
            Text("\(enrolments.path): \(problem)"),
            cure: .command(Self.edit(enrolments.path))
        )
    }

    private static func finding(_ actions: Actions) -> [Finding] {
        if let file = actions.unusable, let problem = file.problem {
            return Check.actions.failure(
                Text("\(file.path) is not in force: \(problem)"),
                cure: .command(edit(file.path))
            )
        }
        if let key = actions.refusedKeys.first {
            return Check.actions.failure(
                Text("an action holds \(key), which is not granted"),
                cure: .command("sudo pttctl grant actions \(ShellArgument(key))")
            )
        }
        return Check.actions.ok(Text("buttons with an action in place of transmitting: \(actions.count)"))
    }

    /// The channel is a few hundred bytes.
    private static let enough: UInt64 = 256 * 1024

    private func stateFinding(_ userID: UInt32) -> [Finding] {
        guard let state else {
            return Check.state.ok(Text("there is no home directory to keep a channel in"))
        }
        guard let owner = state.owner else {
            return Check.state.warning(
                Text("\(state.path) does not exist: no channel is kept over a restart"),
                cure: .command(
                    "mkdir -p -m 700 \(ShellArgument(state.path)) && systemctl --user restart pttd"
                )
            )
        }
        if owner != userID {
            return Check.state.failure(
                Text("\(state.path) belongs to the user \(owner)"),
                cure: .command("sudo chown -R \(userID) \(ShellArgument(state.path))")
            )
        }
        if state.mode & 0o077 != 0 || state.mode & 0o700 != 0o700 {
            return Check.state.warning(
                Text("\(state.path) has the mode \(String(state.mode, radix: 8)) in place of 700"),
                cure: .command("chmod 700 \(ShellArgument(state.path))")
            )
        }
        if !state.isWritable {
            return Check.state.failure(
                Text("\(state.path) cannot be written: no channel is kept over a restart"),
                cure: .command("findmnt --target \(ShellArgument(state.path))")
            )
        }
        if state.free < Self.enough {
            return Check.state.failure(
                Text("the disk of \(state.path) is full: no channel is kept over a restart"),
                cure: .command("df -h \(ShellArgument(state.path))")
            )
        }
        return Check.state.ok(Text("\(state.path) can be written"))
    }
}

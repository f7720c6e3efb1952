import PTTMessages

/// The files of this user that the daemons read and write.
package struct FileFacts: Equatable, Sendable {
    /// A file that configures something, and why it cannot be used; nil if it can, or is not there.
    package struct Configured: Equatable, Sendable {
        package var path: String
        package var problem: String?

        package init(path: String, problem: String? = nil) {
            self.path = path
            self.problem = problem
        }
    }

    /// What buttons do in place of transmitting.
    package struct Actions: Equatable, Sendable {
        /// The `actions.toml` that cannot be used.
        package var unusable: Configured?
        package var count: Int
        /// The keys that an action holds, and root has not granted.
        package var refusedKeys: [String]

        package init(unusable: Configured? = nil, count: Int, refusedKeys: [String] = []) {
            self.unusable = unusable
            self.count = count
            self.refusedKeys = refusedKeys
        }
    }

    /// `~/.local/state/pushtotalk`
    package struct StateDirectory: Equatable, Sendable {
        package var path: String
        /// Nil if there is none.
        package var owner: UInt32?
        /// The permission bits.
        package var mode: UInt32
        package var isWritable: Bool
        /// The amount that this user may still write to its disk, in bytes.
        package var free: UInt64

        package init(path: String, owner: UInt32?, mode: UInt32, isWritable: Bool, free: UInt64) {
            self.path = path
            self.owner = owner
            self.mode = mode
            self.isWritable = isWritable
            self.free = free
        }
    }

    /// `pttd.toml`; nil without a home directory.
    package var configuration: Configured?
    /// Each `policy.toml`.
    package var policies: [Configured]
    /// True if a policy forbids to join now.
    package var isClosed: Bool
    /// `devices.toml`; nil without a home directory.
    package var enrolments: Configured?
    /// Nil without any.
    package var actions: Actions?
    package var state: StateDirectory?

    package init(
        configuration: Configured?,
        policies: [Configured],
        isClosed: Bool = false,
        enrolments: Configured?,
        actions: Actions? = nil,
        state: StateDirectory?
    ) {
        self.configuration = configuration
        self.policies = policies
        self.isClosed = isClosed
        self.enrolments = enrolments
        self.actions = actions
        self.state = state
    }

    /// - Parameters:
    ///   - facts: Nil if the disk did not answer within the time limit.
    ///   - userID: Who should own the state.
    /// - Returns: A line for each kind of file; for actions only if there are some.
    package static func findings(_ facts: FileFacts?, userID: UInt32) -> [Finding] {
        guard let facts else {
            return [
                Check.configuration.failure(
                    Text("the disk with the home directory does not answer"),
                    cure: .command("findmnt --target \"$HOME\"")
                )
            ]
        }
        return [facts.configurationFinding, facts.policyFinding, facts.enrolmentFinding]
            + (facts.actions.map { [finding($0)] } ?? []) + [facts.stateFinding(userID)]
    }

    private static func edit(_ path: String) -> String {
        path.hasPrefix("/etc") ? "sudo -e \(ShellArgument(path))" : "${EDITOR:-vi} \(ShellArgument(path))"
    }

    private var configurationFinding: Finding {
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

    private var policyFinding: Finding {
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
                    "no channel may be joined at this hour: [[closed]] of \(policies.map(\.path).joined(separator: " or "))"
                ),
                cure: .command(Self.edit(policy.path))
            )
        }
        return Check.policy.ok(Text("applications may join now"))
    }

    private var enrolmentFinding: Finding {
        guard let enrolments, let problem = enrolments.problem else {
            return Check.buttons.ok(Text("devices.toml can be used, or is not there"))
        }
        return Check.buttons.failure(
            Text("\(enrolments.path): \(problem)"),
            cure: .command(Self.edit(enrolments.path))
        )
    }

    private static func finding(_ actions: Actions) -> Finding {
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

    private func stateFinding(_ userID: UInt32) -> Finding {
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

import CommandLineTool
import PTTMessages

/// The user who runs the command, and the kind of session.
struct SessionFacts: Equatable, Sendable {
    /// `$XDG_RUNTIME_DIR`.
    struct RuntimeDirectory: Equatable, Sendable {
        var path: String
        /// Nil if there is no such directory.
        var owner: UInt32?
        /// The permission bits.
        var mode: UInt32
    }

    var userID: UInt32
    /// The command runs as root by sudo(8), for this user.
    var sudoUser: String?
    /// Nil if the variable is not set.
    var runtimeDirectory: RuntimeDirectory?

    var findings: [Finding] {
        if let sudoUser {
            return Check.session.failure(
                Text("this is root by sudo, and the daemons are those of \(sudoUser)"),
                cure: .command("pttctl doctor")
            )
        }
        guard let directory = runtimeDirectory else {
            return Check.session.failure(
                Text("XDG_RUNTIME_DIR is not set, so that no daemon can be found"),
                cure: .command("export XDG_RUNTIME_DIR=/run/user/\(userID)")
            )
        }
        guard let owner = directory.owner else {
            return Check.session.failure(
                Text("\(directory.path) (XDG_RUNTIME_DIR) does not exist: no session of this user is open"),
                cure: .advice(Text("log in as this user, at the screen or with ssh, not with su"))
            )
        }
        if owner != userID {
            return Check.session.failure(
                Text(
                    "\(directory.path) (XDG_RUNTIME_DIR) belongs to the user \(owner), and this is \(userID)"
                ),
                cure: .command("export XDG_RUNTIME_DIR=/run/user/\(userID)")
            )
        }
        if directory.mode & 0o077 != 0 {
            return Check.session.failure(
                Text("other users may access \(directory.path)"),
                cure: .command("chmod 700 \(ShellArgument(directory.path))")
            )
        }
        if userID == 0 {
            return Check.session.warning(
                Text("this is root, whose channel and buttons are not those of the person at the screen"),
                cure: .advice(Text("run it as the user who talks"))
            )
        }
        return Check.session.ok(Text("\(directory.path) belongs to this user alone"))
    }
}

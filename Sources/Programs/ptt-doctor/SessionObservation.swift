import EventLoop
import Glibc

extension SessionFacts {
    /// Not below a test's root: these describe this process.
    static func observed() -> SessionFacts {
        let sudoUser = getuid() == 0 ? Environment.variable("SUDO_USER") : nil
        return SessionFacts(
            userID: getuid(),
            sudoUser: sudoUser,
            runtimeDirectory: Environment.variable("XDG_RUNTIME_DIR").map(RuntimeDirectory.init(observing:))
        )
    }
}

extension SessionFacts.RuntimeDirectory {
    fileprivate init(observing path: String) {
        var found = stat()
        let exists = stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
        self.init(path: path, owner: exists ? found.st_uid : nil, mode: found.st_mode & 0o777)
    }
}

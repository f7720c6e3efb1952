import CommandLineTool
import EventLoop
import Glibc
import Invocation
import PTTMessages

/// The keys that actions may hold, and the socket of the service that holds them.
enum ActionKeyGrant {
    private static let socket = "ptt-keys.socket"

    static func add(_ key: String) throws {
        try requireRoot("grant actions \(key)")
        guard key.hasPrefix("KEY_") else {
            throw CommandError(localized("\(key) is no key of a keyboard, as KEY_F13 for example is"))
        }
        let path = KeyInterface.grants
        // Beside it lie files that users read. sudo(8) keeps a stricter mask of its caller.
        umask(0o022)
        guard mkdir("/etc/pushtotalk", 0o755) == 0 || errno == EEXIST else {
            throw SystemError("make the directory of \(path)")
        }
        // First the service: ptt-actions asks it when the file changes.
        try run(["systemctl", "enable", "--now", socket])
        try TextFile.edit(path, limit: KeyInterface.grantLimit, mode: 0o644) { text($0, granting: key) }
        Terminal.print(localized("Actions of the person in front of the screen may now hold \(key)."))
    }

    /// - Returns: The text of the file, with the key in a line of its own.
    static func text(_ text: String?, granting key: String) -> String {
        var text = text ?? "# Written by `pttctl grant actions`; `sudo pttctl revoke actions` removes it.\n"
        guard !KeyInterface.grantedKeys(text).contains(key) else { return text }
        // The last line of a file that a person has edited may have no line feed.
        if let last = text.utf8.last, last != UInt8(ascii: "\n") { text += "\n" }
        return text + key + "\n"
    }

    static func remove() throws {
        try requireRoot("revoke actions")
        guard unlink(KeyInterface.grants) == 0 || errno == ENOENT else {
            throw SystemError("remove \(KeyInterface.grants)")
        }
        // The services that hold keys end with their socket (PartOf=), and release them.
        try run(["systemctl", "disable", "--now", socket])
        Terminal.print(localized("Actions hold no key any more."))
    }
}

import Glibc

extension TextFile {
    /// A symbolic link without a target: what it should name cannot be known.
    package struct BrokenLink: Error, CustomStringConvertible {
        package let link: String

        package var description: String { "\(link) is a link to a file that does not exist" }
    }

    /// What stands in the place of a file, and would be lost if one replaced it.
    package struct NotRegular: Error, CustomStringConvertible {
        package let path: String

        package var description: String { "\(path) is not a file but a device, a pipe or a directory" }
    }

    /// Replaces the contents of a file by what `change` makes of them, or creates it and the directories
    /// above it.
    ///
    /// Blocks until it is on disk; not for a daemon. The text is written under another name, flushed, and
    /// renamed: after a crash or with a full disk either the old file or the new one is found (rename(2)).
    /// Other processes that edit a file of the directory in this way wait meanwhile; the lock is the
    /// directory's, so that none is left over. Of a symbolic link the target is replaced.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - limit: The largest file that is read, in bytes.
    ///   - mode: The permissions of a new file; an old one keeps its own.
    ///   - change: Receives nil if there is no file, and none is created for an empty text. The file stays as
    ///     it is if it throws.
    /// - Throws: ``SystemError``, ``Unreadable``, ``BrokenLink``, ``NotRegular``, or what `change` throws.
    package static func edit(
        _ path: String,
        limit: Int,
        mode: UInt32 = 0o600,
        _ change: (String?) throws -> String
    ) throws {
        if case .isBroken(let link) = FileWatch.target(of: path) { throw BrokenLink(link: link) }
        let path = resolved(path)
        let directory = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        try makeDirectories(directory)
        let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError("open \(directory)") }
        let lock = OwnedDescriptor(adopting: opened)
        while flock(lock.value, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError("lock \(directory)") }
        }
        let mode = try permissions(of: path) ?? mode
        let before = try read(path, limit: limit)
        let after = try change(before)
        guard after != before ?? "" else { return }
        let temporary = path + ".new"
        do throws(SystemError) {
            try fill(temporary, with: after, mode: mode)
            guard rename(temporary, path) == 0 else { throw SystemError("move \(temporary)") }
        } catch {
            // What is left of it would be overwritten by the next edit.
            _ = unlink(temporary)
            throw error
        }
        // A file's name is on disk once its directory is flushed (fsync(2)).
        guard fsync(lock.value) == 0 else {
            throw SystemError("flush \(directory), after \(path) was replaced")
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Returns: Nil if there is no file.
    private static func permissions(of path: String) throws(NotRegular) -> UInt32? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        guard found.st_mode & S_IFMT == S_IFREG else { throw NotRegular(path: path) }
        return found.st_mode & 0o777
    }

    /// Writes and flushes a new file.
    private static func fill(_ path: String, with text: String, mode: UInt32) throws(SystemError) {
        // What a crashed program has left may have wider permissions. Where it cannot be removed, O_EXCL
        // keeps it from being written.
        _ = unlink(path)
        let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard created >= 0 else { throw SystemError("create \(path)") }
        let descriptor = OwnedDescriptor(adopting: created)
        // open(2) leaves out what the umask has, and file systems without permissions refuse to change them.
        guard mode == 0o600 || fchmod(created, mode) == 0 else {
            throw SystemError("set the permissions of \(path)")
        }
        try writeAll(Array(text.utf8), to: descriptor.value, path)
        guard fsync(descriptor.value) == 0 else { throw SystemError("flush \(path)") }
    }
}

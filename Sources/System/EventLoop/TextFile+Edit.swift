import Glibc

extension TextFile {
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
    /// - Throws: ``SystemError``, ``Unusable``, or what `change` throws.
    package static func edit(
        _ path: String,
        limit: Int,
        mode: UInt32 = 0o600,
        _ change: (String?) throws -> String
    ) throws {
        // What the link should name cannot be known.
        if case .isBroken(let link) = FileWatch.target(of: path) {
            throw Unusable(description: "\(link) is a link to a file that does not exist")
        }
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
        try replaceFile(path, with: Array(after.utf8), mode: mode)
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
    private static func permissions(of path: String) throws(Unusable) -> UInt32? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        // It would be lost if a file replaced it.
        guard found.st_mode & S_IFMT == S_IFREG else {
            throw Unusable(description: "\(path) is not a file but a device, a pipe or a directory")
        }
        return found.st_mode & 0o777
    }
}

import Glibc

/// A directory of small files that are replaced as a whole.
package struct StateDirectory: Sendable {
    /// A file and its new contents; nil to remove it, which does not fail if there is none.
    package typealias Change = (name: String, bytes: [UInt8]?)

    /// Created, with the directories above it, with the first file.
    package let path: String
    /// In memory nothing needs to be flushed.
    package let isOnDisk: Bool

    package init(path: String, isOnDisk: Bool) {
        (self.path, self.isOnDisk) = (path, isOnDisk)
    }

    /// Applies changes in their order, and returns when all are on disk.
    package func apply(_ changes: [Change]) throws(SystemError) {
        var hasChanged = false
        for (name, bytes) in changes {
            let file = "\(path)/\(name)"
            if let bytes {
                try makeDirectories(path)
                try replaceFile(file, with: bytes, isOnDisk: isOnDisk)
                hasChanged = true
            } else if unlink(file) == 0 {
                hasChanged = true
            } else if errno != ENOENT && errno != ENOTDIR {
                throw SystemError("remove \(file)")
            }
        }
        if hasChanged && isOnDisk { try flush() }
    }

    /// As ``apply(_:)``, without waiting for the disk. `completion` is called once with the error, if there
    /// is one; during this call if no thread can be started.
    @EventLoop
    package func apply(_ changes: [Change], completion: @escaping @EventLoop (SystemError?) -> Void) {
        do throws(SystemError) {
            try EventLoop.spawnBlocking({ failure(of: changes) }, completion: completion)
        } catch {
            completion(error)
        }
    }

    private func failure(of changes: [Change]) -> SystemError? {
        do throws(SystemError) {
            try apply(changes)
            return nil
        } catch {
            return error
        }
    }

    /// A file's name is on disk once its directory is flushed (fsync(2)).
    private func flush() throws(SystemError) {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError("open \(path)") }
        let descriptor = OwnedDescriptor(adopting: opened)
        guard fsync(descriptor.value) == 0 else { throw SystemError("flush \(path)") }
    }
}

/// Creates a directory, and those above it, which may belong to another user or be read-only if they exist
/// already.
func makeDirectories(_ path: String) throws(SystemError) {
    var made = ""
    for part in path.split(separator: "/") {
        made += "/" + part
        guard mkdir(made, 0o700) == 0 || [EEXIST, EROFS, EACCES].contains(errno) else {
            throw SystemError("create \(made)")
        }
    }
}

/// Replaces a file as a whole: after a crash at any time either the old one or the new one is found
/// (rename(2)).
func replaceFile(
    _ path: String,
    with bytes: [UInt8],
    mode: UInt32 = 0o600,
    isOnDisk: Bool = true
) throws(SystemError) {
    let temporary = path + ".new"
    do throws(SystemError) {
        try fill(temporary, with: bytes, mode: mode, isOnDisk: isOnDisk)
        guard rename(temporary, path) == 0 else { throw SystemError("move \(temporary)") }
    } catch {
        // What is left of it would be removed by the next attempt.
        _ = unlink(temporary)
        throw error
    }
}

/// Writes a new file, and flushes it if it is on disk.
private func fill(_ path: String, with bytes: [UInt8], mode: UInt32, isOnDisk: Bool) throws(SystemError) {
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
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(created, $0.baseAddress, $0.count) }
        guard count > 0 else { throw SystemError("write \(path)") }
        rest = rest.dropFirst(count)
    }
    guard !isOnDisk || fsync(descriptor.value) == 0 else { throw SystemError("flush \(path)") }
}

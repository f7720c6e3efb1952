import Glibc

/// Small text files, written by people or by programs.
package enum TextFile {
    /// Why a file is not used, where the system does not refuse it, for people.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Returns: Nil if there is no such file.
    /// - Throws: ``SystemError`` or ``Unusable``.
    package static func read(_ path: String, limit: Int) throws -> String? {
        // Without O_NONBLOCK, opening a pipe in the file's place would wait for a process that writes to it.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("open \(path)")
        }
        let descriptor = OwnedDescriptor(adopting: opened)
        // A pipe without a writer would be read as an empty file.
        var found = stat()
        if fstat(opened, &found) == 0, found.st_mode & S_IFMT == S_IFIFO {
            throw Unusable(description: "it is a pipe")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor.value, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            guard read >= 0 else { throw SystemError("read \(path)") }
            if read == 0 { break }
            count += read
        }
        if count > limit { throw Unusable(description: "it is larger than \(limit / 1024) KiB") }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw Unusable(description: "it is not UTF-8 text")
        }
        return text
    }
}

import Glibc

/// Small text files, written by people or by programs.
package enum TextFile {
    package enum Unreadable: Error, CustomStringConvertible {
        case system(SystemError)
        case tooLarge(limit: Int)
        case notText
        case pipe

        package var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .tooLarge(let limit): "it is larger than \(limit / 1024) KiB"
            case .notText: "it is not UTF-8 text"
            case .pipe: "it is a pipe"
            }
        }
    }

    /// - Returns: Nil if there is no such file.
    package static func read(_ path: String, limit: Int) throws(Unreadable) -> String? {
        // Without O_NONBLOCK, opening a pipe in the file's place would wait for a process that writes to it.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(SystemError("open \(path)"))
        }
        let descriptor = OwnedDescriptor(adopting: opened)
        // A pipe without a writer would be read as an empty file.
        var found = stat()
        if fstat(opened, &found) == 0, found.st_mode & S_IFMT == S_IFIFO { throw .pipe }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor.value, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            guard read >= 0 else { throw .system(SystemError("read \(path)")) }
            if read == 0 { break }
            count += read
        }
        if count > limit { throw .tooLarge(limit: limit) }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else { throw .notText }
        return text
    }
}

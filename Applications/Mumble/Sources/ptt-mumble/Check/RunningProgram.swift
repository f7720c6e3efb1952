import Foundation
import Glibc

/// `$XDG_RUNTIME_DIR/ptt-mumble`: the program that runs holds its lock, and writes there what `--check` is to
/// say of its connection. A second connection of the same person would end the first one.
@MainActor
final class RunningProgram {
    private let descriptor: Int32
    private var text = ""

    private static var path: String? {
        ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { "\($0)/ptt-mumble" }
    }

    /// Nil if another one runs, or the file cannot be had, without which all but `--check` works.
    init?() {
        guard let path = Self.path else { return nil }
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, 0) == 0 else {
            close(descriptor)
            return nil
        }
    }

    isolated deinit { close(descriptor) }

    func show(_ lines: [String]) {
        let new = lines.map { "\(Output.printable($0))\n" }.joined()
        guard new != text else { return }
        text = new
        let bytes = Array(new.utf8)
        // What cannot be written, as to a full disk, is missing there and nowhere else.
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return }
        _ = ftruncate(descriptor, bytes.count)
    }

    /// The lines that the program that runs has shown; nil if none runs.
    static func shown() -> [String]? {
        guard let path, let file = FileHandle(forReadingAtPath: path) else { return nil }
        guard flock(file.fileDescriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        // What cannot be read says nothing.
        let bytes = (try? file.readToEnd()) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }
}

import CSpawn
package import EventLoop
import Glibc

/// A file that is nowhere but in memory: what a program reads as its input, or writes as its output, all at
/// once.
package final class MemoryFile: Sendable {
    /// For ``ChildProcess/Stream/descriptor(_:)``.
    package var descriptor: Int32 { file.value }
    private let file: OwnedDescriptor

    /// - Parameter bytes: Its content. A reader begins with the first.
    /// - Throws: If there is no memory, or no descriptor.
    package init(_ bytes: [UInt8] = []) throws(SystemError) {
        let descriptor = cspawn_memory_file("memory-file")
        guard descriptor >= 0 else { throw SystemError("make a file in memory") }
        file = OwnedDescriptor(adopting: descriptor)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw SystemError("fill a file in memory")
        }
    }

    /// - Parameter limit: The most that is read, in bytes.
    /// - Returns: Its content from the beginning.
    package func read(limit: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(descriptor, &bytes, limit, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}

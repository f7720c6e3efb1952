import CSpawn
package import EventLoop

/// The rights that a process leaves itself before it handles the bytes of a stranger: memory, and the
/// descriptors that are open. No file, no socket, no other process, and no code that was not loaded before;
/// whatever it still needs of these, it does first.
package enum Confinement {
    /// Confines this process for the rest of its life. It has one thread.
    ///
    /// - Parameters:
    ///   - memory: The most data it has, in bytes; further memory is refused.
    ///   - processorTime: In seconds. After them the kernel kills it.
    ///   - output: The size of the largest file that it writes, in bytes; the kernel ends it if it tries to
    ///     write more.
    /// - Throws: If the kernel refuses, or on a processor other than x86-64 and ARM64.
    package static func enter(memory: Int, processorTime: Int, output: Int) throws(SystemError) {
        guard cspawn_confine(UInt(memory), UInt(processorTime), UInt(output)) == 0 else {
            throw SystemError("confine this process")
        }
    }
}

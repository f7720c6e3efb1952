import CSpawn
import EventLoop
import Glibc

extension ChildProcess {
    /// Starts a program with variables that differ from this process's own, its three standard streams, and
    /// its end of the socket to its owner.
    ///
    /// - Returns: Its process ID, and a descriptor that becomes readable when it ends.
    /// - Throws: If it cannot be started.
    static func spawn(
        _ arguments: [String],
        environment: [String: String?] = [:],
        _ streams: [Stream],
        owner: Int32
    ) throws(SystemError) -> (processID: Int32, end: Int32) {
        var texts: [UnsafeMutablePointer<CChar>?] = []
        defer { for text in texts { free(text) } }
        func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
            let copy = strdup(text)
            texts.append(copy)
            return copy
        }
        func stream(_ stream: Stream, _ number: Int32) -> cspawn_stream {
            let flags = number == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
            return switch stream {
            case .nothing: cspawn_stream(descriptor: -1, path: copy("/dev/null"), flags: O_RDWR)
            case .inherited: cspawn_stream(descriptor: number, path: nil, flags: 0)
            case .descriptor(let descriptor): cspawn_stream(descriptor: descriptor, path: nil, flags: 0)
            case .file(let path): cspawn_stream(descriptor: -1, path: copy(path), flags: flags)
            case .owner: cspawn_stream(descriptor: owner, path: nil, flags: 0)
            }
        }
        let standard = streams.enumerated().map { stream($1, Int32($0)) }
        let words = arguments.map(copy) + [nil]
        let variables = merged(environment).map(copy) + [nil]
        var end: Int32 = -1
        let processID = cspawn(words, variables, standard, &end)
        guard processID > 0 else { throw SystemError("start \(arguments.joined(separator: " "))") }
        return (processID, end)
    }

    /// This process's environment with other values for some variables.
    private static func merged(_ changes: [String: String?]) -> [String] {
        var merged = changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            let name = text.prefix { $0 != "=" }
            if changes[String(name)] == nil { merged.append(text) }
            next += 1
        }
        return merged
    }
}

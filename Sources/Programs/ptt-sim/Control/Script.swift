import ArgumentParser
import EventLoop
import Glibc

/// Commands at given times.
enum Script {
    struct Step {
        /// The time since the simulation was ready.
        let time: Duration
        let command: Command
        /// The line itself, for the answer.
        let text: String
    }

    /// Reads lines such as `0.5s press 1`; empty lines and lines that begin with `#` are ignored.
    ///
    /// - Throws: If the file cannot be read, or a line is invalid; the error contains its number.
    static func read(_ path: String) throws -> [Step] {
        var steps: [Step] = []
        let lines = try contents(path).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(SimulationError) {
                guard first.hasSuffix("s"), let seconds = Double(first.dropLast()),
                    (0...86_400).contains(seconds), words.count == 2
                else {
                    throw SimulationError(description: "expected a time and a command, as in 0.5s press 1")
                }
                steps.append(
                    Step(
                        time: .seconds(seconds),
                        command: try Command(line: String(words[1])),
                        text: String(line)
                    )
                )
            } catch {
                throw ValidationError("\(path), line \(index + 1): \(error)")
            }
        }
        return steps.sorted { $0.time < $1.time }
    }

    private static func contents(_ path: String) throws -> String {
        guard let file = fopen(path, "re") else { throw ValidationError("\(SystemError("read \(path)"))") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
            guard bytes.count <= 1 << 20 else {
                throw ValidationError("\(path) is too large for a script: more than 1 MiB")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

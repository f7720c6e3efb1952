import EventLoop

/// Recordings that the command of a `record` action has received: a line for each run. They are kept from
/// press to press, so that one that comes late or twice is seen.
@EventLoop
enum ReceivedRecordings {
    static let log = "/home/dev/recordings.log"

    /// An entry whose command writes what it is, and the header and the size of its standard input.
    ///
    /// - Parameter subject: The line that names the device or the accessory file.
    /// - Returns: The entry, as it stands in the file.
    static func action(of subject: String) -> String {
        let unit = "$(basename $(cat /proc/self/cgroup))"
        let header = "$(od -An -v -tx1 -N44 | tr -dc 0-9a-f)"
        let line = "\(unit) \(header) $(wc -c < /dev/stdin)"
        return """
            [[action]]
            \(subject)
            button = "talk"
            record = ["sh", "-c", "echo \(line) >> \(log)"]
            """
    }

    /// How many there are.
    ///
    /// - Throws: ``Failure`` if one is no WAV file, or if two are of the same press: its unit is named by it.
    static func count() async throws -> Int {
        // There is no file before the first one.
        let text = try await Command.output(of: ["sh", "-c", "test ! -e $0 || cat $0", log])
        let units = try text.split(separator: "\n").map { line in
            try unit(of: line.split(separator: " ").map { String($0) })
        }
        guard Set(units).count == units.count else {
            throw Failure("a recording was received twice: \(units)")
        }
        return units.count
    }

    private static func unit(of line: [String]) throws -> String {
        guard line.count == 3, line[0].hasPrefix("ptt-recording-"), let size = Int(line[2]), size > 44,
            line[1] == header(ofFile: size)
        else { throw Failure("a command has received \(line)") }
        return line[0]
    }

    /// Of one channel with 16,000 samples a second, as programs for speech expect it.
    private static func header(ofFile size: Int) -> String {
        let format = "57415645666d74201000000001000100803e0000007d000002001000"
        return "52494646" + word(size - 8) + format + "64617461" + word(size - 44)
    }

    /// Little-endian, in hexadecimal.
    private static func word(_ number: Int) -> String {
        let text = String(UInt32(truncatingIfNeeded: number).byteSwapped, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}

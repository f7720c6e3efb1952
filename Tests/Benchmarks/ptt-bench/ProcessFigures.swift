import EventLoop
import Glibc

/// The figures of a process in `/proc/PID` (proc(5)).
struct ProcessFigures {
    /// Resident memory in kB.
    let resident: Int
    /// The same, where each page counts by its share among the processes that have it (`Pss`).
    let proportional: Int
    /// The part of the resident memory that belongs to no file.
    let anonymous: Int
    /// The most kB that ever were resident.
    let peak: Int
    /// Processor time of all its threads that still run.
    let processorTime: Duration
    /// How often its threads have gone to sleep, which is how often they were woken up.
    let voluntarySwitches: Int

    init(_ processID: Int32) throws {
        let directory = "/proc/\(processID)"
        let status = try Self.fields(directory + "/status")
        // More exact than `VmRSS`, whose counters lag behind.
        let rollup = try Self.fields(directory + "/smaps_rollup")
        guard let resident = rollup["Rss"], let proportional = rollup["Pss"],
            let anonymous = status["RssAnon"], let peak = status["VmHWM"]
        else {
            throw Unmeasurable("process \(processID) has ended")
        }
        self.resident = resident
        self.proportional = proportional
        self.anonymous = anonymous
        self.peak = peak
        var switches = 0
        var nanoseconds = 0
        for thread in try Self.names(in: directory + "/task") {
            switches += try Self.fields("\(directory)/task/\(thread)/status")["voluntary_ctxt_switches"] ?? 0
            // Its first number is the time spent on a processor (proc(5), schedstat).
            let schedule = try Self.text("\(directory)/task/\(thread)/schedstat")
            nanoseconds += schedule.split(separator: " ").first.flatMap { Int($0) } ?? 0
        }
        voluntarySwitches = switches
        processorTime = .nanoseconds(nanoseconds)
    }

    /// The lines `name: number`, with or without a unit behind the number.
    private static func fields(_ path: String) throws(SystemError) -> [String: Int] {
        let text = try text(path)
        var fields: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
            if parts.count >= 2, let number = Int(parts[1]) { fields[String(parts[0])] = number }
        }
        return fields
    }

    private static func text(_ path: String) throws(SystemError) -> String {
        guard let file = fopen(path, "re") else { throw SystemError("read \(path)") }
        defer { _ = fclose(file) }  // Only read from.
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw SystemError("read \(path)") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

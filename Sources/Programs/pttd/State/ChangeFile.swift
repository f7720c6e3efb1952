import EventLoop
import JSON
import Journal
import Logging

/// A file of the state directory with what changes in the sound server and the next run must know. What this
/// run changes is written before the change is made: the next one undoes it after a crash.
@EventLoop
final class ChangeFile<Change: Codable & Sendable> {
    private struct File: Codable {
        let changes: [Change]
    }

    private let name: String
    private let directory: String?
    /// The consequence where a change cannot be written down.
    private let consequence: String
    private let log: RateLimitedLog
    private var isWriting = false
    /// The changes to write once those before are written.
    private var unwritten: [Change]?

    /// Called after a writing, possibly during the call that ordered it. Only the last of several is
    /// reported: the one before did not contain all changes.
    var saved: @EventLoop (Bool) -> Void = { _ in }

    private static var sizeLimit: Int { 64 * 1024 }

    /// - Parameters:
    ///   - name: In the directory.
    ///   - directory: The state directory; nil: nothing can be written.
    ///   - consequence: A sentence for the log, of a change that cannot be written down.
    ///   - log: For failures.
    init(_ name: String, in directory: String?, consequence: String, log: RateLimitedLog) {
        (self.name, self.directory, self.consequence, self.log) = (name, directory, consequence, log)
    }

    /// Returns the changes that an earlier run has written; none if they cannot be used, which is logged.
    func read() -> [Change] {
        guard let directory else { return [] }
        do {
            guard let text = try TextFile.read("\(directory)/\(name)", limit: Self.sizeLimit) else {
                return []
            }
            // What is no object has no changes either.
            let object = try JSON(parsing: text).object ?? JSONObject()
            return try object.decode(File.self, unknownKeys: .ignored).changes
        } catch {
            log.log(level: .error, "\(directory)/\(name) cannot be used: \(error)")
            return []
        }
    }

    /// Replaces the file; without changes it is removed.
    func write(_ changes: [Change]) {
        unwritten = changes
        write()
    }

    private func write() {
        guard !isWriting, let changes = unwritten else { return }
        unwritten = nil
        guard let directory else { return report(false) }
        let bytes = changes.isEmpty ? nil : JSONText.encoding(File(changes: changes)).bytes
        isWriting = true
        let state = StateDirectory(path: directory, isOnDisk: true)
        state.apply([(name, bytes)]) { [weak self] in self?.written($0) }
    }

    private func written(_ failure: SystemError?) {
        isWriting = false
        if let failure { log.log(level: .notice, "\(consequence): \(failure)") }
        report(failure == nil)
    }

    private func report(_ hasSucceeded: Bool) {
        if unwritten == nil { saved(hasSucceeded) } else { write() }
    }
}

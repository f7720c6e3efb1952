import AccessoryCore
import EventLoop
import JSON
import Logging
import PTTMessages

/// The releases of what is pressed, on disk: after a power cut the next start makes up for them.
///
/// Nothing waits for the disk. What a power cut loses is a press that the disk has not taken by then.
@EventLoop
final class PendingReleases {
    struct Entry: Codable, Equatable {
        /// In which it was pressed: in the same one the service manager releases.
        let boot: String
        let device: String
        let role: ButtonRole
        let release: [String]
    }

    private struct File: Codable {
        let presses: [Entry]
    }

    private static let name = "actions.json"
    /// Of as many presses as there may be, with the longest commands of a file.
    private static let sizeLimit = 2 * 1024 * 1024

    private let directory = UserDirectory.state.path.map {
        StateDirectory(path: $0 + "/pushtotalk", isOnDisk: true)
    }
    private let boot: String
    private let log: Logger
    private var entries: [PressID: Entry] = [:]
    /// Of an earlier boot, and nobody is told to release them yet.
    private var overdue: [Entry] = []
    private var isWriting = false
    private var hasChanged = false
    private var settled: (@EventLoop () -> Void)?

    init(log: Logger) {
        self.log = log
        // Without it no press is known to be of an earlier boot.
        boot = (try? TextFile.read("/proc/sys/kernel/random/boot_id", limit: 64))?.filter { $0 != "\n" } ?? ""
    }

    /// Reads those of an earlier boot. The file is out of date once they are begun: ``write()`` then.
    func load() {
        guard let directory else { return }
        let path = "\(directory.path)/\(Self.name)"
        do {
            guard let text = try TextFile.read(path, limit: Self.sizeLimit) else { return }
            let file: File = try JSON(parsing: text).decode()
            overdue = file.presses.filter { $0.boot != boot && !$0.release.isEmpty }
        } catch {
            log.error("\(path) cannot be used, and what it would release is not released: \(error)")
        }
    }

    /// Each is to be resumed.
    func takeOverdue() -> [Entry] {
        defer { overdue = [] }
        return overdue
    }

    /// It is being released, and stays on disk as it is until that has ended.
    func resume(_ id: PressID, _ entry: Entry) { entries[id] = entry }

    /// Nobody could be told to release it: one of an earlier boot is overdue again.
    func postpone(_ id: PressID) {
        guard let entry = entries[id], entry.boot != boot else { return }
        entries[id] = nil
        overdue.append(entry)
    }

    func begin(_ id: PressID, _ button: ActionPresses.Button, _ action: Action) {
        guard entries[id] == nil, let release = action.work.commands?.release else { return }
        entries[id] = Entry(boot: boot, device: button.device, role: button.role, release: release)
        write()
    }

    func end(_ id: PressID) {
        if entries.removeValue(forKey: id) != nil { write() }
    }

    /// Calls `then` once, when everything is on disk, or cannot be.
    func whenSettled(_ then: @escaping @EventLoop () -> Void) {
        if isWriting { settled = then } else { then() }
    }

    func write() {
        hasChanged = true
        guard let directory, !isWriting else { return }
        (hasChanged, isWriting) = (false, true)
        let presses = entries.sorted { $0.key < $1.key }.map(\.value) + overdue
        let bytes = presses.isEmpty ? nil : JSONText.encoding(File(presses: presses)).bytes
        directory.apply([(Self.name, bytes)]) { [weak self] in self?.written($0) }
    }

    /// A failure is repeated with the next press only.
    private func written(_ failure: SystemError?) {
        isWriting = false
        if let failure { log.warning("\(failure): a power cut would lose a release") }
        if hasChanged { return write() }
        settled?()
        settled = nil
    }
}

import EventLoop
import Glibc
import Logging

/// The notification that is there, in a file that survives this process: what is left of one that crashed
/// is closed by the next.
///
/// Some daemons, Plasma's for one, keep a notification that has no time limit after its sender has gone, with
/// buttons that nobody hears.
struct NotificationRecord {
    /// An identifier counts for one daemon only. No later one on the same bus has its unique name (D-Bus
    /// Specification, "Message Bus Names").
    struct Entry: Equatable {
        let daemon: String
        let identifier: UInt32
    }

    /// Nil outside a login session: there is nothing to survive in.
    private let path = Environment.variable("XDG_RUNTIME_DIR").map {
        $0 + "/pushtotalk-indicator/notification"
    }
    private let log: Logger
    private(set) var entry: Entry?

    init(log: Logger) {
        self.log = log
        guard let path else { return }
        do {
            entry = try TextFile.read(path, limit: 1024).flatMap(Entry.init)
        } catch {
            log.notice("\(path): \(error)")
        }
    }

    /// Writes to memory (tmpfs), for which nobody waits.
    mutating func set(_ new: Entry?) {
        guard new != entry else { return }
        entry = new
        guard let path else { return }
        guard let new else {
            // One that is not there need not be removed.
            _ = unlink(path)
            return
        }
        do {
            try TextFile.edit(path, limit: 1024) { _ in "\(new.daemon) \(new.identifier)" }
        } catch {
            log.notice("\(error)")
        }
    }
}

extension NotificationRecord.Entry {
    /// Nil if the text is damaged.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let identifier = UInt32(parts[1]) else { return nil }
        self.init(daemon: String(parts[0]), identifier: identifier)
    }
}

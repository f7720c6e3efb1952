import EventLoop
import Glibc

/// Reports files in watched directories whose attributes changed: owner, mode, access control list
/// (inotify(7)).
///
/// The directories are watched instead of the files, because a file without read access cannot be watched.
@EventLoop
final class AttributeWatch {
    private var inotify: Inotify?
    private let handler: @EventLoop (String?) -> Void
    private var directories: [Int32: String] = [:]

    /// - Parameter handler: Receives the path of a changed file, or nil if events were lost.
    /// - Throws: `EMFILE` if the user has too many inotify instances.
    init(handler: @escaping @EventLoop (String?) -> Void) throws(SystemError) {
        self.handler = handler
        inotify = try Inotify("watch the access rights of devices") { [weak self] events in
            for event in events { self?.handle(event) }
        }
    }

    /// Watches one more directory. Adding it again has no effect.
    func add(_ directory: String) throws(SystemError) {
        guard let number = try inotify?.add(directory, UInt32(IN_ATTRIB | IN_ONLYDIR)) else { return }
        directories[number] = directory
    }

    private func handle(_ event: Inotify.Event) {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return handler(nil) }
        if event.mask & UInt32(IN_IGNORED) != 0 { directories[event.watch] = nil }
        guard !event.name.isEmpty, let directory = directories[event.watch] else { return }
        handler(directory + "/" + event.name)
    }
}

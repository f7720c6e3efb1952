package import AccessoryCore
package import EventLoop

/// The accessory files as they are now: a change counts at once.
@EventLoop
package final class AccessoryFolderWatch {
    package private(set) var catalog: AccessoryCatalog
    /// Called after each change of ``catalog``.
    package var onChange: @EventLoop (AccessoryCatalog) -> Void = { _ in }

    private let folders: AccessoryFolders
    private var watches: [FileWatch] = []
    /// Folders whose changes are not reported.
    private var unwatched: [AccessoryCatalog.Problem] = []

    /// Reads the folders and watches them, also those that do not exist yet.
    package init(_ folders: AccessoryFolders = .standard) {
        self.folders = folders
        catalog = AccessoryCatalog([])
        for path in folders.paths {
            do throws(SystemError) {
                watches.append(try FileWatch(path, andContents: true) { [weak self] in self?.reload() })
            } catch {
                let reason = "\(error): a change of its files counts after a restart"
                unwatched.append(AccessoryCatalog.Problem(path: path, reason: reason))
            }
        }
        catalog = load()
    }

    private func load() -> AccessoryCatalog {
        let loaded = folders.load()
        return AccessoryCatalog(loaded.entries, problems: loaded.problems + unwatched)
    }

    private func reload() {
        let loaded = load()
        guard loaded != catalog else { return }
        catalog = loaded
        onChange(loaded)
    }
}

package import AccessoryCore
package import EventLoop
import PTTMessages
package import TOML

extension ActionList {
    /// Reads `actions.toml` and checks it.
    ///
    /// - Parameter text: TOML, as `Documentation/Actions.md` describes it.
    /// - Throws: The first thing that is wrong, and where.
    package init(toml text: String) throws(TOMLError) {
        let file = try TOML.decode(ActionFile.self, from: text)
        do throws(AccessoryFileProblem) {
            self.init(try file.checked())
        } catch {
            throw TOMLError(error, in: text)
        }
    }

    /// Returns the names of the keys that an action holds and root has not granted.
    package func keysNotGranted(by grants: String = KeyInterface.grants) -> [String] {
        // One that cannot be read grants nothing, as for ptt-keys.
        let text = (try? TextFile.read(grants, limit: KeyInterface.grantLimit)) ?? ""
        let granted = KeyInterface.grantedKeys(text)
        return keys.sorted().map { Action.Work.key($0).description }.filter { !granted.contains($0) }
    }
}

/// The actions of presses as they are now: those of the user, then those of the machine. A change counts at
/// once.
///
/// While a file cannot be used its last usable contents count: a button that is to run a command must not
/// transmit because of a slip of the pen.
@EventLoop
package final class ActionFileWatch {
    fileprivate struct File {
        let path: String
        var list = ActionList()
        var problem: String?
    }

    private var files: [File]
    private var watches: [FileWatch] = []
    /// Called after each change of ``list`` or ``problems``.
    package var onChange: @EventLoop () -> Void = {}

    /// Reads the files and watches them, also those that do not exist yet.
    ///
    /// - Parameter paths: A later file takes precedence.
    package init(_ paths: [String] = ConfigurationFile.paths(ActionFile.name)) {
        files = paths.reversed().map { File(path: $0) }
        for path in paths {
            do throws(SystemError) {
                watches.append(try FileWatch(path) { [weak self] in self?.load() })
            } catch {
                // It is read with each change of the other file, and by the next start.
                continue
            }
        }
        load()
    }

    package var list: ActionList { ActionList(files.flatMap(\.list.actions)) }

    /// Why files cannot be used, for people.
    package var problems: [String] { files.compactMap(\.problem) }

    private func load() {
        let before = (list, problems)
        for index in files.indices { files[index].load() }
        if before != (list, problems) { onChange() }
    }
}

extension ActionFileWatch.File {
    fileprivate mutating func load() {
        do {
            list = try ActionList(toml: try TextFile.read(path, limit: ActionFile.sizeLimit) ?? "")
            problem = nil
        } catch {
            problem = "\(path) cannot be used: \(error)"
        }
    }
}

import AccessoryCore
import AccessoryFiles
import CoreConfiguration
import EventLoop
import Glibc
import PTTMessages
import TOML

/// The files of this user, as the daemons read them.
struct UserFiles: Sendable {
    /// Nil if the disk has not answered.
    var facts: FileFacts?
    /// `microphone` of the configuration.
    var preferences: [String] = []
    /// Those of `devices.toml`, named by the person or by the address, which is in upper case.
    var enrolled: [BluetoothFacts.Button] = []

    @EventLoop
    static func observed(on host: Host) async -> UserFiles {
        let directory = UserDirectory.state.path.map { $0 + "/pushtotalk" }
        let paths = Configuration.paths + EnrolmentFile.paths + ConfigurationFile.paths(ActionFile.name)
        // A network's disk that hangs blocks each call: what follows reads only from one that has answered.
        let answer = await Host.bounded {
            for path in paths { _ = access(path, R_OK) }
            return directory.map(FileFacts.StateDirectory.init(observing:))
        }
        guard let state = answer else { return UserFiles() }
        var files = UserFiles()
        let configuration = files.readConfiguration(on: host)
        let enrolments = files.readEnrolments(on: host)
        let (policies, isClosed) = Self.policies(on: host)
        files.facts = FileFacts(
            configuration: configuration,
            policies: policies,
            isClosed: isClosed,
            enrolments: enrolments,
            actions: Self.actions(on: host),
            state: state
        )
        return files
    }

    private mutating func readConfiguration(on host: Host) -> FileFacts.Configured? {
        let (value, unusable) = Configuration.load(Configuration.paths.map { host.machinePath($0) })
        preferences = value.microphone?.names ?? []
        if let file = unusable.first { return .init(path: file.path, problem: file.reason) }
        return Configuration.paths.last.map { .init(path: $0) }
    }

    private mutating func readEnrolments(on host: Host) -> FileFacts.Configured? {
        var found: FileFacts.Configured?
        for path in EnrolmentFile.paths where found?.problem == nil {
            do {
                let contents = try EnrolmentFile.read(host.machinePath(path))
                for enrolment in contents.enrolments {
                    guard let address = enrolment.identity.bluetoothAddress else { continue }
                    enrolled.removeAll { $0.address == address }
                    let name = enrolment.name ?? address
                    enrolled.append(.init(address: address, name: name, isBlocked: nil))
                }
                found = .init(path: path, problem: contents.problems.first.map { "\($0)" })
            } catch {
                found = .init(path: path, problem: "\(error)")
            }
        }
        return found
    }

    private static func actions(on host: Host) -> FileFacts.Actions? {
        var found = FileFacts.Actions(count: 0)
        var actions: [Action] = []
        for path in ConfigurationFile.paths(ActionFile.name) {
            do {
                let text = try TextFile.read(host.machinePath(path), limit: ActionFile.sizeLimit) ?? ""
                actions += try ActionList(toml: text).actions
            } catch {
                found.unusable = .init(path: path, problem: "\(error)")
            }
        }
        found.count = actions.count
        found.refusedKeys = ActionList(actions).keysNotGranted(by: host.machinePath(KeyInterface.grants))
        return found == FileFacts.Actions(count: 0) ? nil : found
    }

    private static func policies(on host: Host) -> (files: [FileFacts.Configured], isClosed: Bool) {
        var found: [FileFacts.Configured] = []
        var rules = PolicyRules(files: [])
        for path in PolicyFile.paths {
            do {
                guard let file = try PolicyFile.load(host.machinePath(path)) else { continue }
                rules.files.append(file)
                found.append(.init(path: path))
            } catch {
                found.append(.init(path: path, problem: "\(error)"))
            }
        }
        return (found, rules.isClosed(at: .now))
    }
}

extension Host {
    /// A file of the machine lies below the root that is looked at, the user's does not.
    fileprivate func machinePath(_ path: String) -> String {
        path.hasPrefix("/etc/") ? self.path(path) : path
    }
}

extension WeekTime {
    fileprivate static var now: WeekTime {
        var time = time(nil)
        var parts = tm()
        localtime_r(&time, &parts)
        return WeekTime(weekday: Int(parts.tm_wday), minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }
}

extension FileFacts.StateDirectory {
    fileprivate init(observing path: String) {
        var found = stat()
        var disk = statvfs()
        let exists = stat(path, &found) == 0
        let hasDisk = statvfs(path, &disk) == 0
        self.init(
            path: path,
            owner: exists ? found.st_uid : nil,
            mode: found.st_mode & 0o777,
            isWritable: access(path, W_OK | X_OK) == 0,
            free: hasDisk ? UInt64(disk.f_bavail) * UInt64(disk.f_frsize) : 0
        )
    }
}

import AccessoryCore
import AccessoryFiles
import CoreConfiguration
import EventLoop
import Glibc
import PTTMessages
import TOML

extension FileFacts {
    /// The files as the daemons read them. Nil if the disk has not answered.
    @EventLoop
    static func observed(on host: Host) async -> FileFacts? {
        let directory = UserDirectory.state.path.map { $0 + "/pushtotalk" }
        let paths = Configuration.paths + EnrolmentFile.paths + ConfigurationFile.paths(ActionFile.name)
        // A network's disk that hangs blocks each call: what follows reads only from one that has answered.
        let answer = await Host.bounded {
            for path in paths { _ = access(path, R_OK) }
            return directory.map(StateDirectory.init(observing:))
        }
        guard let state = answer else { return nil }
        var facts = FileFacts(state: state)
        facts.readConfiguration(on: host)
        facts.readPolicies(on: host)
        facts.readEnrolments(on: host)
        facts.readActions(on: host)
        return facts
    }

    private mutating func readConfiguration(on host: Host) {
        let (value, unusable) = Configuration.load(Configuration.paths.map { host.machinePath($0) })
        preferences = value.microphone?.names ?? []
        configuration = Configuration.paths.last.map { .init(path: $0) }
        if let file = unusable.first { configuration = .init(path: file.path, problem: file.reason) }
    }

    private mutating func readPolicies(on host: Host) {
        var rules = PolicyRules(files: [])
        for path in PolicyFile.paths {
            do {
                guard let file = try PolicyFile.load(host.machinePath(path)) else { continue }
                rules.files.append(file)
                policies.append(.init(path: path))
            } catch {
                policies.append(.init(path: path, problem: "\(error)"))
            }
        }
        isClosed = rules.isClosed(at: .now)
    }

    private mutating func readEnrolments(on host: Host) {
        for path in EnrolmentFile.paths where enrolments?.problem == nil {
            do {
                let contents = try EnrolmentFile.read(host.machinePath(path))
                for enrolment in contents.enrolments {
                    guard let address = enrolment.identity.bluetoothAddress else { continue }
                    enrolled.removeAll { $0.address == address }
                    let name = enrolment.name ?? address
                    enrolled.append(.init(address: address, name: name, isBlocked: nil))
                }
                enrolments = .init(path: path, problem: contents.problems.first.map { "\($0)" })
            } catch {
                enrolments = .init(path: path, problem: "\(error)")
            }
        }
    }

    private mutating func readActions(on host: Host) {
        var found = Actions(count: 0)
        var list: [Action] = []
        for path in ConfigurationFile.paths(ActionFile.name) {
            do {
                let text = try TextFile.read(host.machinePath(path), limit: ActionFile.sizeLimit) ?? ""
                list += try ActionList(toml: text).actions
            } catch {
                found.unusable = .init(path: path, problem: "\(error)")
            }
        }
        found.count = list.count
        found.refusedKeys = ActionList(list).keysNotGranted(by: host.machinePath(KeyInterface.grants))
        if found != Actions(count: 0) { actions = found }
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

import AccessoryCore
import AccessoryFiles
import CoreConfiguration
import Diagnosis
import EventLoop
import Glibc

/// The files of this user, as the daemons read them.
struct UserFiles: Sendable {
    /// Nil if the disk has not answered.
    var facts: FileFacts?
    /// `microphone` of the configuration.
    var preferences: [String] = []
    var enrolled: [EnrolledButton] = []

    @EventLoop
    static func observed(on host: Host) async -> UserFiles {
        let state = UserDirectory.state.path.map { $0 + "/pushtotalk" }
        let paths = [Configuration.path, EnrolmentFile.path].compactMap(\.self)
        // A network's disk that hangs blocks each call: what follows reads only from one that has answered.
        let probe = await Host.bounded {
            for path in paths { _ = access(path, R_OK) }
            return Probe(state: state.map(FileFacts.StateDirectory.init(observing:)))
        }
        guard let probe else { return UserFiles() }
        var files = UserFiles()
        let configuration = files.readConfiguration()
        let enrolments = files.readEnrolments()
        let (policies, isClosed) = Self.policies(on: host)
        files.facts = FileFacts(
            configuration: configuration,
            policies: policies,
            isClosed: isClosed,
            enrolments: enrolments,
            state: probe.state
        )
        return files
    }

    private struct Probe: Sendable {
        let state: FileFacts.StateDirectory?
    }

    private mutating func readConfiguration() -> FileFacts.Configured? {
        guard let path = Configuration.path else { return nil }
        do throws(ConfigurationError) {
            preferences = try Configuration.load(path).microphone?.names ?? []
            return .init(path: path)
        } catch {
            return .init(path: path, problem: error.reason)
        }
    }

    private mutating func readEnrolments() -> FileFacts.Configured? {
        guard let path = EnrolmentFile.path else { return nil }
        do {
            let contents = try EnrolmentFile.parse(
                try TextFile.read(path, limit: EnrolmentFile.sizeLimit) ?? ""
            )
            enrolled = contents.enrolments.compactMap { enrolment in
                enrolment.identity.bluetoothAddress.map {
                    EnrolledButton(address: $0, name: enrolment.name ?? $0)
                }
            }
            return .init(path: path, problem: contents.problems.first.map { "\($0)" })
        } catch {
            return .init(path: path, problem: "\(error)")
        }
    }

    private static func policies(on host: Host) -> (files: [FileFacts.Configured], isClosed: Bool) {
        let user = UserDirectory.configuration.path.map { $0 + "/pushtotalk" }
        var found: [FileFacts.Configured] = []
        var rules = PolicyRules(files: [])
        for (shown, read) in [("/etc/pushtotalk", host.path("/etc/pushtotalk"))]
            + (user.map { [($0, $0)] } ?? [])
        {
            let path = shown + "/policy.toml"
            do {
                guard let file = try PolicyFile.load(read + "/policy.toml") else { continue }
                rules.files.append(file)
                found.append(.init(path: path))
            } catch {
                found.append(.init(path: path, problem: "\(error)"))
            }
        }
        return (found, rules.isClosed(at: .now))
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

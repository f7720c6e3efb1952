import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTCore

/// Reports the policy of the machine: at the start, when a file changes, and when a closed time begins or
/// ends.
@EventLoop
final class PolicyWatch {
    private let paths: [String]
    private let log: RateLimitedLog
    private let report: @EventLoop (Policy) -> Void
    /// By path; of a file that cannot be used any more, what it said before.
    private var files: [String: PolicyFile] = [:]
    /// By path, why a file cannot be used that is not among ``files``.
    private var unusable: [String: String] = [:]
    private var watches: [FileWatch] = []
    private var reported: Policy?
    private var timer: WallClockTimer?
    private var zoneWatch: FileWatch?

    /// - Parameters:
    ///   - paths: Where a `policy.toml` may be; all that exist apply.
    ///   - log: Receives a line for each file that cannot be used, each time that it is read.
    ///   - report: Called with each new policy, for the first time before the initialiser returns.
    init(
        _ paths: [String] = PolicyFile.paths,
        log: RateLimitedLog,
        report: @escaping @EventLoop (Policy) -> Void
    ) {
        self.paths = paths
        self.log = log
        self.report = report
        watchClock()
        for path in paths {
            watch(path)
            load(path)
        }
        evaluate()
    }

    /// Evaluates the policy for the present time, after the clock was set or the machine has slept.
    func evaluate() {
        let rules = PolicyRules(files: paths.compactMap { files[$0] })
        let now = LocalTime.now
        var policy = rules.policy(at: now.week)
        policy.unusable = paths.compactMap { unusable[$0] }.first
        if let minutes = rules.minutesToNextChange(after: now.week) {
            timer?.arm(at: now.seconds(in: minutes))
        } else {
            timer?.disarm()
        }
        guard policy != reported else { return }
        reported = policy
        report(policy)
    }

    private func watchClock() {
        do throws(SystemError) {
            timer = try WallClockTimer { [weak self] in self?.evaluate() }
            zoneWatch = try FileWatch("/etc/localtime") { [weak self] in self?.evaluate() }
        } catch {
            log.log(level: .error, "the closed times of the policy will begin and end too late: \(error)")
        }
    }

    private func load(_ path: String) {
        do {
            files[path] = try PolicyFile.load(path)
            unusable[path] = nil
        } catch {
            if files[path] != nil {
                log.log(level: .error, "\(path) cannot be used; the previous policy stays in force: \(error)")
            } else {
                log.log(
                    level: .error,
                    "\(path) cannot be used; no channel can be joined until it can: \(error)"
                )
                unusable[path] = "\(path): \(error)"
            }
        }
    }

    private func watch(_ path: String) {
        do throws(SystemError) {
            let watch = try FileWatch(path) { [weak self] in
                self?.load(path)
                self?.evaluate()
            }
            watches.append(watch)
        } catch {
            log.log(level: .warning, "changes of \(path) will not be detected: \(error)")
        }
    }
}

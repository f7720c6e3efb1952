import EventLoop
import Glibc
import Logging
import PTTCore

/// Keeps the machine's policy true: when a file changes, and when a time window opens or closes.
@EventLoop
final class PolicyWatch {
    static let fileName = "policy.toml"

    private let paths: [String]
    private let log: Logger
    private let tell: @EventLoop (Policy) -> Void
    /// By path.
    private var readings: [String: Reading] = [:]
    private var watches: [FileWatch] = []
    private var told: Policy?
    private var timer: WallClockTimer?
    private var zoneWatch: DirectoryWatch?

    /// What a path gave when it was read last.
    private enum Reading {
        /// Nil: there is no such file.
        case file(PolicyFile?)
        case unusable(reason: String)
    }

    /// - Parameters:
    ///   - directories: Where a `policy.toml` may be; all that are there apply.
    ///   - log: Told of files that cannot be used.
    ///   - tell: Called with each new policy, for the first time before this returns.
    init(_ directories: [String], log: Logger, tell: @escaping @EventLoop (Policy) -> Void) {
        paths = directories.map { "\($0)/\(Self.fileName)" }
        self.log = log
        self.tell = tell
        followClock()
        for path in paths {
            watch(path)
            load(path)
        }
        evaluate()
    }

    /// The directory of the user's file, and that of the machine's.
    static var directories: [String] {
        ["/etc/pushtotalk"] + [UserDirectory.configuration.path].compactMap(\.self)
    }

    /// Looks at the clock again: it may have been set, or the machine may have slept.
    func evaluate() {
        let (rules, unusable) = rules
        let now = LocalTime.now
        var policy = rules.policy(at: now.week)
        policy.unusable = unusable
        if let minutes = rules.minutesToNextChange(after: now.week) {
            timer?.arm(at: now.seconds(in: minutes))
        } else {
            timer?.disarm()
        }
        guard policy != told else { return }
        told = policy
        tell(policy)
    }

    private func followClock() {
        do throws(SystemError) {
            timer = try WallClockTimer { [weak self] in self?.evaluate() }
            zoneWatch = try DirectoryWatch("/etc") { [weak self] name in
                if name == "localtime" { self?.evaluate() }
            }
        } catch {
            log.error("the closed times of the policy are not noticed when they come: \(error)")
        }
    }

    /// All that could be read, and why not all of it.
    private var rules: (PolicyRules, unusable: String?) {
        var files: [PolicyFile] = []
        var reasons: [String] = []
        for path in paths {
            switch readings[path] {
            case .file(let file?): files.append(file)
            case .unusable(let reason): reasons.append(reason)
            case .file(nil), nil: break
            }
        }
        return (PolicyRules(files: files), reasons.first)
    }

    private func load(_ path: String) {
        do {
            readings[path] = .file(try PolicyFile.load(path))
        } catch {
            if case .file(_?) = readings[path] {
                log.error("\(path) cannot be used, the policy before it stays in force: \(error)")
            } else {
                log.error("\(path) cannot be used, nobody may join until it can: \(error)")
                readings[path] = .unusable(reason: "\(path): \(error)")
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
            log.warning("changes of \(path) are not noticed: \(error)")
        }
    }
}

/// What the clock on the wall shows.
private struct LocalTime {
    private let parts: tm
    let week: WeekTime

    static var now: LocalTime {
        // localtime_r(3) alone would stay in the time zone in which the process started.
        tzset()
        // Not time(2), which may be a tick behind the clock of the timer that has just fired.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        localtime_r(&now.tv_sec, &parts)
        return LocalTime(parts)
    }

    private init(_ parts: tm) {
        self.parts = parts
        week = WeekTime(weekday: Int(parts.tm_wday), minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }

    /// When the clock will show so many minutes more, in seconds since 1970: it may be put forward or back before.
    func seconds(in minutes: Int) -> Int {
        var parts = parts
        parts.tm_min += Int32(minutes)
        parts.tm_sec = 0
        parts.tm_isdst = -1
        return mktime(&parts)
    }
}

import EventLoop
import Glibc
import Logging
import PTTCore

/// Keeps the machine's policy true: when a file changes, and when a time window opens or closes.
@EventLoop
final class PolicyWatch {
    static let fileName = "policy.toml"

    private let directories: [String]
    private let log: Logger
    private let tell: @EventLoop (Policy) -> Void
    private var files: [String: PolicyFile] = [:]
    private var watches: [String: DirectoryWatch] = [:]
    private var told: Policy?
    private var timer: WallClockTimer?
    private var zoneWatch: DirectoryWatch?

    /// - Parameters:
    ///   - directories: Where a `policy.toml` may be; all that are there apply.
    ///   - log: Told of files that cannot be used.
    ///   - tell: Called with each new policy, for the first time before this returns.
    init(_ directories: [String], log: Logger, tell: @escaping @EventLoop (Policy) -> Void) {
        self.directories = directories
        self.log = log
        self.tell = tell
        followClock()
        for directory in directories {
            watch(directory)
            load(directory)
        }
        evaluate()
    }

    /// The directory of the user's file, and that of the machine's.
    static var directories: [String] {
        ["/etc/pushtotalk"] + [UserDirectory.configuration.path].compactMap(\.self)
    }

    /// Looks at the clock again: it may have been set, or the machine may have slept.
    func evaluate() {
        let rules = PolicyRules(files: directories.compactMap { files[$0] })
        let now = LocalTime.now
        let policy = rules.policy(at: now.week)
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
            zoneWatch = try DirectoryWatch("/etc", .appears) { [weak self] name in
                if name == "localtime" { self?.evaluate() }
            }
        } catch {
            log.error("the closed times of the policy are not noticed when they come: \(error)")
        }
    }

    private func load(_ directory: String) {
        let path = "\(directory)/\(Self.fileName)"
        do {
            files[directory] = try PolicyFile.load(path)
        } catch {
            let rest =
                files[directory] == nil ? "nothing is forbidden by it" : "the one before stays in force"
            log.error("\(path) cannot be used, \(rest): \(error)")
        }
    }

    /// Follows the file, or the appearance of its directory.
    private func watch(_ directory: String) {
        // What appeared just before its parent was watched is found in a further round. What is there and cannot be
        // watched is not found in any.
        for _ in 0..<directory.count {
            guard let awaited = watchNearest(directory), access(awaited, F_OK) == 0 else { return }
        }
    }

    /// Gives what has to appear before the directory itself can be watched.
    private func watchNearest(_ directory: String) -> String? {
        let parts = directory.split(separator: "/")
        for count in stride(from: parts.count, through: 0, by: -1) {
            let path = "/" + parts.prefix(count).joined(separator: "/")
            let awaited = count < parts.count ? String(parts[count]) : nil
            do throws(SystemError) {
                watches[directory] = try DirectoryWatch(path, [.appears, .changes, .vanishes, .ends]) {
                    [weak self] name in
                    self?.changed(name, in: directory, awaiting: awaited)
                }
                return awaited.map { "\(path)/\($0)" }
            } catch {
                // Nearer to the root then.
                continue
            }
        }
        log.warning("changes of \(directory)/\(Self.fileName) are not noticed")
        return nil
    }

    /// An empty name tells that what is watched has gone.
    private func changed(_ name: String, in directory: String, awaiting awaited: String?) {
        guard name.isEmpty || name == awaited ?? Self.fileName else { return }
        if name.isEmpty || awaited != nil { watch(directory) }
        load(directory)
        evaluate()
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

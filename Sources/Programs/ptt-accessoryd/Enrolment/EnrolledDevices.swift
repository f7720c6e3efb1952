import AccessoryCore
import AccessoryFiles
import EventLoop
import Logging
import PTTMessages

/// The devices whose presses may count: those in `devices.toml`, the machine's and the user's. A change of a
/// file counts at once.
///
/// A file that cannot be read enrols nothing, and nor does the one before it: what it may have changed is not
/// assumed.
@EventLoop
final class EnrolledDevices {
    /// A device that is used.
    struct Use: Equatable {
        let enrolment: Enrolment
        let permission: Permission
    }

    private let paths: [String]
    private let log: Logger
    private var enrolments: [DeviceIdentity: Enrolment] = [:]
    private var watches: [FileWatch] = []
    /// Why a file enrols no device; nil while all can be used.
    private var failure: String?
    private var loggedProblems: [String] = []

    /// Called after a change of the file, and of ``candidate``.
    var onChange: @EventLoop () -> Void = {}

    /// The device that is being enrolled, with what was chosen for it: it is connected and observed as an
    /// enrolled one, but its presses begin nothing. There is at most one at a time.
    var candidate: Enrolment? {
        didSet { if candidate != oldValue { onChange() } }
    }

    /// Of `paths` a later file takes precedence.
    init(_ paths: [String] = EnrolmentFile.paths, log: Logger) {
        self.paths = paths
        self.log = log
    }

    /// Reads the files, and watches them from now on.
    func start() {
        if EnrolmentFile.path == nil {
            log.error("neither XDG_CONFIG_HOME nor HOME is set: this user can enrol no device")
        }
        for path in paths {
            do throws(SystemError) {
                watches.append(try FileWatch(path) { [weak self] in self?.load() })
            } catch {
                log.warning("changes of \(path) will not be detected: \(error)")
            }
        }
        load()
    }

    /// Nil if the presses of the device do not count.
    subscript(identity: DeviceIdentity) -> Enrolment? {
        candidate?.identity == identity ? nil : enrolments[identity]
    }

    /// Returns true if a file has an entry for the device.
    func contains(_ identity: DeviceIdentity) -> Bool { enrolments[identity] != nil }

    /// The entry of a device, or that of the device that is being enrolled, and whether its presses count.
    /// Nil: the device is not used.
    func use(of identity: DeviceIdentity) -> Use? {
        if let candidate, candidate.identity == identity {
            return Use(enrolment: candidate, permission: Self.notEnrolled)
        }
        return enrolments[identity].map { Use(enrolment: $0, permission: .given) }
    }

    /// All devices that are used.
    var uses: [Use] {
        let identities = Set(enrolments.keys).union(candidate.map { [$0.identity] } ?? [])
        return identities.compactMap { use(of: $0) }
    }

    /// The permission of the device that is being enrolled.
    static nonisolated let notEnrolled = Permission.withheld(reason: "not enrolled yet", cause: .stopped)

    /// Why the presses of a device do not count, for the list. `address` is what `pttctl pair` accepts.
    func remark(notEnrolled address: String) -> String {
        failure ?? "not enrolled: run `pttctl pair \(address)`"
    }

    private func load() {
        let before = (enrolments, failure)
        var found: [Enrolment] = []
        var problems: [String] = []
        failure = nil
        for path in paths {
            do {
                let contents = try EnrolmentFile.read(path)
                found = contents.enrolments + found
                problems += contents.problems.map { "\(path): \($0). This device is not enrolled" }
            } catch {
                found = []
                let reason = "\(path) cannot be used: \(error)"
                failure = failure ?? reason
                problems.append("\(reason). It enrols no device")
            }
        }
        for problem in problems where !loggedProblems.contains(problem) { log.error("\(problem)") }
        loggedProblems = problems
        // Of several entries for a device the first counts.
        enrolments = Dictionary(found.map { ($0.identity, $0) }) { first, _ in first }
        if before != (enrolments, failure) { onChange() }
    }
}

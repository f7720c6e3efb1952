import AccessoryCore
import AccessoryFiles
import EventLoop
import Logging
import PTTMessages
import TOML

/// The devices whose presses may count: those in `devices.toml`. A change of the file counts at once.
///
/// A file that cannot be read enrols nothing: the consent that it may have withdrawn is not assumed.
@EventLoop
final class EnrolledDevices {
    /// A device that is used.
    struct Use: Equatable {
        let enrolment: Enrolment
        let gate: Gate
    }

    private let path: String?
    private let log: Logger
    private var enrolments = Enrolments()
    private var watch: FileWatch?
    /// Why no device is enrolled although there is a file; nil while it can be used.
    private var failure: String?
    private var loggedProblems: [TOMLError] = []

    /// Called after a change of the file, and of ``candidate``.
    var onChange: @EventLoop () -> Void = {}

    /// The device that is being enrolled, with what was chosen for it: it is connected and observed as an enrolled one,
    /// but its presses begin nothing. There is at most one at a time.
    var candidate: Enrolment? {
        didSet { if candidate != oldValue { onChange() } }
    }

    /// `path` is the file; nil without a home directory.
    init(_ path: String? = EnrolmentFile.path, log: Logger) {
        self.path = path
        self.log = log
    }

    /// Reads the file, and watches it from now on.
    func start() {
        guard let path else {
            return log.error("neither XDG_CONFIG_HOME nor HOME is set: no Bluetooth device can be enrolled")
        }
        do throws(SystemError) {
            watch = try FileWatch(path) { [weak self] in self?.load(path) }
        } catch {
            log.warning("changes of \(path) will not be detected: \(error)")
        }
        load(path)
    }

    /// Nil if the presses of the device do not count.
    subscript(identity: DeviceIdentity) -> Enrolment? {
        candidate?.identity == identity ? nil : enrolments[identity]
    }

    /// Whether the file has an entry for the device.
    func contains(_ identity: DeviceIdentity) -> Bool { enrolments[identity] != nil }

    /// The entry of a device, or that of the device that is being enrolled: with the gate of its presses. Nil: the device
    /// is not used.
    func use(of identity: DeviceIdentity) -> Use? {
        if let candidate, candidate.identity == identity {
            return Use(enrolment: candidate, gate: Self.closed)
        }
        return enrolments[identity].map { Use(enrolment: $0, gate: .open) }
    }

    private static let closed = Gate.closed(reason: "not enrolled yet", cause: .stopped)

    /// Why the presses of a device do not count, for the list. `address` is what `pttctl pair` accepts.
    func remark(notEnrolled address: String) -> String {
        failure ?? "not enrolled: run `pttctl pair \(address)`"
    }

    private func load(_ path: String) {
        let before = (enrolments, failure)
        do {
            let contents = try EnrolmentFile.parse(
                try TextFile.read(path, limit: EnrolmentFile.sizeLimit) ?? ""
            )
            enrolments = Enrolments(contents.enrolments)
            failure = nil
            for problem in contents.problems where !loggedProblems.contains(problem) {
                log.error("\(path): \(problem). This device is not enrolled")
            }
            loggedProblems = contents.problems
        } catch {
            enrolments = Enrolments()
            failure = "\(path) cannot be used: \(error)"
            log.error("\(path) cannot be used, and no device is enrolled: \(error)")
        }
        if before != (enrolments, failure) { onChange() }
    }
}

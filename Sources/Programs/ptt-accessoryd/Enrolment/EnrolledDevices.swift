import AccessoryCore
import AccessoryFiles
import EventLoop
import Logging
import TOML

/// The devices whose presses may count: those in `devices.toml`. A change of the file counts at once.
///
/// A file that cannot be read enrols nothing: the consent that it may have withdrawn is not assumed.
@EventLoop
final class EnrolledDevices {
    private let path: String?
    private let log: Logger
    private var enrolments = Enrolments()
    private var watch: FileWatch?
    /// Why no device is enrolled although there is a file; nil while it can be used.
    private var failure: String?
    private var loggedProblems: [TOMLError] = []

    /// Called after a change of the file, and of ``candidate``.
    var onChange: @EventLoop () -> Void = {}

    /// The device that is being enrolled: it is connected and observed as an enrolled one, but its presses begin nothing.
    var candidate: DeviceIdentity? {
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

    subscript(identity: DeviceIdentity) -> Enrolment? { enrolments[identity] }

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

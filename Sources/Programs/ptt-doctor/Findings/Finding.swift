import PTTMessages

/// One line of `pttctl doctor`: what was found, and what cures it.
struct Finding: Equatable, Sendable {
    /// The names are a published interface, as those of ``Check``.
    enum Severity: String, Sendable {
        case ok
        /// Push-to-talk works, but not in every way that a person may expect.
        case warning
        /// Push-to-talk does not work, or not for long.
        case failure
    }

    let check: Check
    let severity: Severity
    /// For people; one line.
    let text: Text
    /// Nil if nothing is wrong.
    private(set) var cure: Cure?

    /// Only for the functions of ``Check``: what is wrong has a cure.
    fileprivate init(_ check: Check, _ severity: Severity, _ text: Text, cure: Cure? = nil) {
        self.check = check
        self.severity = severity
        self.text = text
        self.cure = cure
    }

    func resolved(on distribution: Distribution?) -> Finding {
        var finding = self
        finding.cure = cure?.resolved(on: distribution)
        return finding
    }

    var isFailure: Bool { severity == .failure }
}

/// Each is a list of one: a part of the machine has none or several findings, and adds them up.
extension Check {
    func ok(_ text: Text) -> [Finding] { [Finding(self, .ok, text)] }

    func warning(_ text: Text, cure: Cure) -> [Finding] { [Finding(self, .warning, text, cure: cure)] }

    func failure(_ text: Text, cure: Cure) -> [Finding] { [Finding(self, .failure, text, cure: cure)] }
}

/// Something that a person can do about a finding.
enum Cure: Equatable, Sendable {
    /// One command of a shell.
    case command(String)
    /// Something to do at the machine, where no command helps.
    case advice(Text)
    case install(SystemPackage)
    /// Push-to-talk itself, of which a part is missing.
    case reinstall
    /// One of two installations of push-to-talk.
    case removeOne

    var isCommand: Bool { if case .command = self { true } else { false } }

    var text: Text {
        switch self {
        case .command(let text): Text(verbatim: text)
        case .advice(let text): text
        case .install, .reinstall, .removeOne: resolved(on: nil).text
        }
    }
}

/// The subjects of findings. The names are a published interface (`pttctl doctor --json`): they are never
/// changed.
enum Check: String, CaseIterable, Sendable {
    case session
    case kernel
    case units
    case core
    case accessoryDaemon = "accessory-daemon"
    case seat
    case udevRule = "udev-rule"
    case headset
    case bluetooth
    case buttons
    case actions
    case sound
    case microphone
    case recording
    case configuration
    case policy
    case state
    case desktop
}

/// The result of asking a part of the machine, when it has no answer.
enum Silence: Error, Equatable, Sendable {
    /// It is there, and did not answer within the time limit.
    case timedOut
    /// It cannot be asked, for this reason.
    case unreachable(String)
}

import Diagnosis

/// A finding as `pttctl doctor --json` prints it.
struct FindingRecord: Codable, Equatable {
    let check: String
    /// `ok`, `warning` or `failure`.
    let severity: String
    let text: String
    /// The command that cures it.
    let command: String?
    /// What to do where no command cures it.
    let advice: String?

    init(_ finding: Finding) {
        check = finding.check.rawValue
        severity = Wording.severity(finding.verdict)
        text = finding.text
        switch finding.cure {
        case .command(let text)?: (command, advice) = (text, nil)
        case .advice(let text)?: (command, advice) = (nil, text)
        case nil: (command, advice) = (nil, nil)
        }
    }
}

extension Wording {
    /// One line, and below it the cure.
    static func lines(_ finding: Finding) -> [String] {
        let indent = String(repeating: " ", count: 9)
        let severity = severity(finding.verdict)
        let first =
            severity + indent.dropFirst(severity.count) + finding.check.rawValue + ": "
            + finding.text
        switch finding.cure {
        case .command(let text)?: return [first, indent + "$ " + text]
        case .advice(let text)?: return [first, indent + "→ " + text]
        case nil: return [first]
        }
    }

    static func severity(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .ok: "ok"
        case .warning: "warning"
        case .failure: "failure"
        }
    }
}

import Invocation
import PTTMessages

/// A finding as `pttctl doctor --json` prints it: in English, for scripts.
struct FindingRecord: Codable, Equatable {
    let check: String
    /// `ok`, `warning` or `failure`.
    let severity: String
    let text: String
    /// The command that cures it.
    let command: String?
    /// The advice where no command cures it.
    let advice: String?

    init(_ finding: Finding) {
        check = finding.check.rawValue
        severity = finding.severity.rawValue
        text = finding.text.english
        switch finding.cure {
        case .command(let text)?: (command, advice) = (text, nil)
        case .advice?, .packages?: (command, advice) = (nil, finding.cure?.text.english)
        case nil: (command, advice) = (nil, nil)
        }
    }
}

extension Finding {
    /// One line, and below it the cure.
    var lines: [String] {
        let indent = String(repeating: " ", count: 9)
        let name = severity.rawValue
        let first = name + indent.dropFirst(name.count) + "\(check.rawValue): \(text.localized)"
        switch cure {
        case .command(let text)?: return [first, indent + "$ " + text]
        case .advice?, .packages?: return [first, indent + "→ " + (cure?.text.localized ?? "")]
        case nil: return [first]
        }
    }
}

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
        let cure = finding.cure?.text.english
        (command, advice) = finding.cure?.isCommand == true ? (cure, nil) : (nil, cure)
    }
}

extension Finding {
    /// One line, and below it the cure.
    var lines: [String] {
        let indent = String(repeating: " ", count: 9)
        let name = severity.rawValue
        let first = name + indent.dropFirst(name.count) + "\(check.rawValue): \(text.localized)"
        guard let cure else { return [first] }
        return [first, indent + (cure.isCommand ? "$ " : "→ ") + cure.text.localized]
    }
}

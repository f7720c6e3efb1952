import FoundationEssentials

/// One line of `ptt-mumble --check`, as those of `pttctl doctor`: what was found, and what cures it.
public struct Finding: Equatable, Sendable {
    public enum Severity: String, Sendable {
        case ok
        /// The channel works, but not in every way that a person may expect.
        case warning
        case failure
    }

    public enum Subject: String, Sendable {
        case names
        case identity
        case server
        case channel
        case voice
    }

    /// Something that a person can do.
    public enum Cure: Equatable, Sendable {
        /// One command of a shell.
        case command(String)
        case advice(String)

        public var text: String {
            switch self {
            case .command(let text), .advice(let text): text
            }
        }
    }

    public let severity: Severity
    let subject: Subject
    let text: String
    let cure: Cure?

    public static func ok(_ subject: Subject, _ text: String) -> Finding {
        Finding(severity: .ok, subject: subject, text: text, cure: nil)
    }

    public static func warning(_ subject: Subject, _ text: String, cure: Cure) -> Finding {
        Finding(severity: .warning, subject: subject, text: text, cure: cure)
    }

    public static func failure(_ subject: Subject, _ text: String, cure: Cure) -> Finding {
        Finding(severity: .failure, subject: subject, text: text, cure: cure)
    }

    /// - Parameters:
    ///   - path: The file of our certificate.
    ///   - end: When that expires, in seconds since 1970.
    ///   - now: In seconds since 1970.
    /// - Returns: The finding that it is still valid, or a warning.
    public static func identity(_ path: String, until end: Int, now: Int) -> Finding {
        let day = Date(timeIntervalSince1970: TimeInterval(end)).formatted(.iso8601.year().month().day())
        guard end > now else {
            let cure = Cure.advice(
                "ask who runs the server to know you by another one; mv \(path) \(path).old has the next start make it"
            )
            return .warning(
                .identity,
                "\(path) was valid until \(day), and servers may refuse it",
                cure: cure
            )
        }
        return .ok(.identity, "\(path) is valid until \(day)")
    }

    /// One line, and below it the cure.
    public var lines: [String] {
        let indent = String(repeating: " ", count: 9)
        let name = severity.rawValue
        let first = name + indent.dropFirst(name.count) + "\(subject.rawValue): \(text)"
        return switch cure {
        case .command(let text): [first, indent + "$ " + text]
        case .advice(let text): [first, indent + "→ " + text]
        case nil: [first]
        }
    }
}

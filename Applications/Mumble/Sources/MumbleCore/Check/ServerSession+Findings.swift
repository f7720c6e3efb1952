// What a person is told of a session.
extension ServerSession {
    public struct Failure: Hashable, Sendable {
        let text: String
        let trouble: Trouble
    }

    /// Which way voice goes.
    public enum Way: Sendable {
        case datagrams
        case tunnel
    }

    /// The part of a session on which ``findings(certificate:)`` depend.
    public struct Summary: Equatable, Sendable {
        let failure: Failure?
        let isJoined: Bool
        let own: Directory.Person?
        let way: Way?
    }

    public var summary: Summary {
        Summary(failure: failure, isJoined: isJoined, own: session.flatMap { directory.people[$0] }, way: way)
    }

    /// True if ``findings(certificate:)`` are final, unless something changes.
    public var isSettled: Bool { failure != nil || (isJoined && way != nil) }

    /// - Parameter certificate: A text about the server's certificate, for the line of the server.
    /// - Returns: The findings of server, channel and voice.
    public func findings(certificate: String? = nil) -> [Finding] {
        let server = address.server
        if let failure {
            let trouble = failure.trouble
            return [.failure(trouble.subject, failure.text, cure: trouble.cure(address))]
        }
        guard isJoined, let own = session.flatMap({ directory.people[$0] }) else {
            return [.warning(.server, "\(server) is being connected to", cure: .advice("wait a moment"))]
        }
        let name = own.channel == 0 ? "the root channel" : directory.channels[own.channel]?.name ?? ""
        let answers = Finding.ok(.server, "\(server) answers" + (certificate.map { ", \($0)" } ?? ""))
        return [answers, talk(own, in: name)] + voice
    }

    private func talk(_ own: Directory.Person, in name: String) -> Finding {
        guard !own.isMuted else {
            return .warning(
                .channel,
                "\(address.user) is in \(name), and muted: nothing is transmitted",
                cure: .advice("ask who runs the server to unmute \(address.user)")
            )
        }
        guard !own.isSuppressed else {
            return .warning(
                .channel,
                "\(address.user) is in \(name), and may not talk there: nothing is transmitted",
                cure: .advice("ask who runs the server for the permission Speak in the channel")
            )
        }
        return .ok(.channel, "\(address.user) may talk in \(name)" + (rule == .first ? "" : ": \(rule.text)"))
    }

    private var voice: [Finding] {
        switch way {
        case nil: []
        case .datagrams: [.ok(.voice, "it goes by UDP")]
        case .tunnel:
            [
                .warning(
                    .voice,
                    "\(address.server) does not answer by UDP, so that voice goes through the TCP connection:"
                        + " each packet that is lost delays those after it",
                    cure: .advice("let UDP to port \(address.port) through the firewalls in between")
                )
            ]
        }
    }
}

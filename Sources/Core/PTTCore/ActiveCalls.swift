package import PTTMessages

/// The calls to which push-to-talk yields, and which of them is reported.
///
/// One call is reported at a time, for as long as it lasts; after it the next one in the order of ``Source``,
/// and the oldest of that source.
package struct ActiveCalls: Equatable, Sendable {
    /// The source of a report of a call.
    package enum Source: String, CaseIterable, Sendable {
        case modemManager = "ModemManager"
        case oFono
        case callaudiod
        /// A stream of another application with the role `phone` on the sound server.
        case phoneStream = "phone stream"
        /// An application records whose recordings count as calls by the configuration.
        case callApplication = "call application"
    }

    /// A call of one source.
    package struct Call: Equatable, Sendable {
        /// Distinguishes the calls of one source.
        package let id: String
        /// For people.
        package let name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    package enum Event: Equatable, Sendable {
        /// The call has begun, or existed already.
        case present(Source, Call)
        case ended(Source, id: String)
        /// Of the calls of a source whose identifiers begin with `prefix`, only these still exist.
        case retained(Source, prefix: String, ids: Set<String>)
        /// The source has ended or left the bus: a call that no process reports any more does not last.
        case lost(Source)
    }

    /// The calls of each source, the oldest first.
    private var calls: [Source: [Call]] = [:]
    private var reported: Reported?

    private struct Reported: Equatable {
        let source: Source
        let call: Call
    }

    /// More calls of one source are ignored. A modem has a few, and a sound server some streams.
    package static let limit = 64
    /// In bytes of UTF-8. Applications choose the names of their streams.
    package static let nameLimit = 100
    /// The name of a call over a modem. Without the number, which every process of the user could read in the
    /// status.
    package static let telephoneCall = "a telephone call"

    package init() {}

    /// The call that is reported; nil if there is none.
    package var active: ActiveCall? {
        reported.map { ActiveCall(source: $0.source.rawValue, name: $0.call.name) }
    }

    package mutating func handle(_ event: Event) {
        switch event {
        case .present(let source, let call):
            add(Call(id: call.id, name: Self.shortened(call.name)), to: source)
        case .ended(let source, let id):
            calls[source]?.removeAll { $0.id == id }
        case .retained(let source, let prefix, let ids):
            calls[source]?.removeAll { $0.id.utf8.starts(with: prefix.utf8) && !ids.contains($0.id) }
        case .lost(let source):
            calls[source] = nil
        }
        updateReported()
    }

    private mutating func add(_ call: Call, to source: Source) {
        var known = calls[source] ?? []
        if let index = known.firstIndex(where: { $0.id == call.id }) {
            known[index] = call
        } else if known.count < Self.limit {
            known.append(call)
        }
        calls[source] = known
    }

    private mutating func updateReported() {
        if let reported, let call = calls[reported.source]?.first(where: { $0.id == reported.call.id }) {
            self.reported = Reported(source: reported.source, call: call)
            return
        }
        reported = nil
        for source in Source.allCases {
            guard let call = calls[source]?.first else { continue }
            reported = Reported(source: source, call: call)
            return
        }
    }

    /// Text that another process chose, short enough to be compared and shown. (To compare two `String`s with
    /// long runs of combining marks takes time quadratic in their length.)
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > nameLimit else { return name }
        // A cut within a character has no text.
        return (0..<4).lazy.compactMap { String(name.utf8.prefix(nameLimit - $0)) }.first ?? ""
    }
}

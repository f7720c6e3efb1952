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

    private struct Report: Equatable {
        let source: Source
        let call: Call

        func isOf(_ source: Source, id: String) -> Bool { self.source == source && call.id == id }
    }

    /// The calls of all sources, the oldest first.
    private var calls: [Report] = []
    private var reported: Report?

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
            add(Report(source: source, call: Call(id: call.id, name: Self.shortened(call.name))))
        case .ended(let source, let id):
            calls.removeAll { $0.isOf(source, id: id) }
        case .retained(let source, let prefix, let ids):
            calls.removeAll {
                $0.source == source && $0.call.id.utf8.starts(with: prefix.utf8) && !ids.contains($0.call.id)
            }
        case .lost(let source):
            calls.removeAll { $0.source == source }
        }
        let known = reported.flatMap { former in
            calls.first { $0.isOf(former.source, id: former.call.id) }
        }
        reported = known ?? next
    }

    private mutating func add(_ report: Report) {
        if let index = calls.firstIndex(where: { $0.isOf(report.source, id: report.call.id) }) {
            calls[index] = report
        } else if calls.count(where: { $0.source == report.source }) < Self.limit {
            calls.append(report)
        }
    }

    /// The oldest call of the first source that has one.
    private var next: Report? {
        Source.allCases.lazy.compactMap { source in calls.first { $0.source == source } }.first
    }

    /// Text that another process chose, short enough to be compared and shown. (To compare two `String`s with
    /// long runs of combining marks takes time quadratic in their length.)
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > nameLimit else { return name }
        // A cut within a character has no text.
        return (0..<4).lazy.compactMap { String(name.utf8.prefix(nameLimit - $0)) }.first ?? ""
    }
}

import PTTCore
import PTTMessages
import TestSupport
import Testing

/// `Transitions/default.txt` has a line for each event: its effects in most situations, as in a trace. The
/// file of a situation has the events that have other effects there.
@Suite struct TransitionTests {
    /// The effects of each event, by its label.
    typealias Table = [String: String]

    private static let defaults = "default.txt"

    @Test(arguments: InitialState.allCases)
    func `every event in every situation has the effects in its table`(_ initialState: InitialState) throws {
        if Recording.isWanted { return }
        let name = Self.name(initialState)
        let (defaults, exceptions) = (try Self.recorded(Self.defaults), try Self.recorded(name))
        for (label, effects) in Self.effects(in: initialState) {
            let expected = exceptions[label] ?? defaults[label]
            #expect(
                effects == expected,
                "\(label)\(expected == nil ? " is missing in \(Self.defaults)\(Self.advice)" : "")"
            )
            #expect(exceptions[label] == nil || exceptions[label] != defaults[label], "\(label) in \(name)")
        }
        let labels = Set(TestEvents.labelled.map(\.key))
        for label in Set(defaults.keys).union(exceptions.keys).subtracting(labels) {
            Issue.record("there is no event called \(label)\(Self.advice)")
        }
    }

    @Test func `every table belongs to a situation`() throws {
        if Recording.isWanted { return try Self.record() }
        let names = try DataFile.all(in: "Transitions", beside: #filePath).map(\.name)
        let expected = InitialState.allCases.map(Self.name) + [Self.defaults]
        #expect(Set(names) == Set(expected), "\(Self.advice)")
    }

    private static let advice =
        ": record with `PTT_RECORD=1 swift test --filter TransitionTests`, read the difference"

    private static func name(_ initialState: InitialState) -> String { "\(initialState.rawValue).txt" }

    private static func effects(in initialState: InitialState) -> Table {
        let (session, observer, violation) = initialState.reach()
        #expect(violation == nil)
        var table = Table()
        for (label, event) in TestEvents.labelled {
            var (session, observer) = (session, observer)
            let (effects, violation) = observer.run(event, at: .seconds(time(initialState)), in: &session)
            if let violation { Issue.record("\(label): \(violation)") }
            table[label] = effects.isEmpty ? "-" : effects.map(brief).joined(separator: ", ")
        }
        return table
    }

    private static func record() throws {
        let tables = InitialState.allCases.map { ($0, effects(in: $0)) }
        var defaults = Table()
        for (label, _) in TestEvents.labelled {
            var counts: [String: Int] = [:]
            for (_, table) in tables { counts[table[label] ?? "", default: 0] += 1 }
            defaults[label] = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }
        try write(defaults, to: Self.defaults)
        for (initialState, table) in tables {
            try write(table.filter { $0.value != defaults[$0.key] }, to: name(initialState))
        }
    }

    private static func write(_ table: Table, to name: String) throws {
        let lines = TestEvents.labelled.compactMap { label, _ in table[label].map { "\(label): \($0)" } }
        try Recording.write(lines, to: "Transitions", name)
    }

    private static func recorded(_ name: String) throws -> Table {
        let file = try DataFile.all(in: "Transitions", beside: #filePath).first { $0.name == name }
        var effects = Table()
        for line in (file?.text ?? "").split(separator: "\n") {
            let colon = try #require(line.firstRange(of: ": "), "\(name) has a line without a label: \(line)")
            let earlier = effects.updateValue(
                String(line[colon.upperBound...]),
                forKey: String(line[..<colon.lowerBound])
            )
            #expect(earlier == nil, "\(name) has two lines with one label: \(line)")
        }
        return effects
    }

    /// In seconds: after the limit of a transmission and the deadline of a start, if there is one.
    static func time(_ initialState: InitialState) -> Int {
        switch initialState {
        case .activating, .pastTheLimit, .emergencyPastTheLimit, .starting, .startingForAPush, .restored: 60
        default: 1
        }
    }

    private static func button(_ transmission: Transmission) -> String {
        transmission.role == .talk
            ? transmission.origin.name : "\(transmission.origin.name) \(transmission.role)"
    }

    /// Without details that are the same in all states or belong to a scenario.
    static func brief(_ effect: TalkSession.Effect) -> String {
        switch effect {
        case .publish(.transmissionRefused(_, let refusal)): "publish transmissionRefused \(refusal.code)"
        case .publish(.transmissionBegan(let transmission)):
            "publish transmissionBegan \(button(transmission))"
        case .publish(.transmissionLatched(let transmission)):
            "publish transmissionLatched \(button(transmission))"
        case .publish(.transmissionEnded(let transmission, let cause, let source)):
            "publish transmissionEnded \(transmission.transmissionID.rawValue) \(cause) by \(source)"
        case .publish(.channelJoined(let channel, let reason)):
            "publish channelJoined \(reason) \(channel.application?.name ?? "without an application")"
        case .publish(.channelLeft(let reason, _)): "publish channelLeft \(reason)"
        case .publish(.pushFinished(let pushID, let outcome, _)):
            "publish pushFinished \(pushID.rawValue) \(outcome)"
        case .notify(let client, .transmissionBegan(let transmission)):
            "notify client \(client.rawValue) transmissionBegan \(button(transmission))"
        case .notify(let client, .pushReceived(let push)):
            "notify client \(client.rawValue) pushReceived \(push.pushID.rawValue)"
        case .notify(let client, .endRefused(let refusal)):
            "notify client \(client.rawValue) endRefused \(refusal.code)"
        case .saveChannel(let saved): "saveChannel\(saved == nil ? " none" : "")"
        case .saveDescriptor(let descriptor): "saveDescriptor\(descriptor == nil ? " none" : "")"
        case .startApplication: "startApplication"
        case .log: "log"
        case .reply(_, .refused(let refusal)): "reply \(refusal.name)"
        case .reply(_, .rejected(let rejection)): "reply \(rejection.code)"
        case .reply(_, .joined(_, let format, _, let isApplication)):
            "reply joined \(format.rate)/\(format.channels)\(isApplication ? " application" : "")"
        case .reply(_, .attached(let token, _, let restored, let left, let isForeground)):
            "reply attached \(token.rawValue)\(isForeground ? "" : " background")"
                + (restored == nil ? "" : " restored") + (left == nil ? "" : " left")
        case .reply(_, let answer): "reply \(answer)"
        case .saveVolume: "saveVolume"
        case .openCapture, .closeCapture, .openPlayback, .closePlayback, .deliverFrames, .stopFrames,
            .setTimer, .cancelTimer, .publish, .notify, .setVolume, .playTone, .playTalkPermit:
            "\(effect)"
        }
    }
}

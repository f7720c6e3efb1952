import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct TransitionTests {
    /// `Transitions` has a file for each initial state, with a line for each event: its effects, as in a trace.
    @Test(arguments: InitialState.allCases)
    func `every event in every state has the effects in its table`(_ initialState: InitialState) throws {
        let name = "\(initialState.rawValue).txt"
        let (session, observer, violation) = initialState.reach()
        #expect(violation == nil)
        var lines: [(label: String, effects: String)] = []
        for (label, event) in TestEvents.labelled {
            var (session, observer) = (session, observer)
            let (effects, violation) = observer.run(
                event,
                at: .seconds(Self.time(initialState)),
                in: &session
            )
            if let violation { Issue.record("\(label): \(violation)") }
            lines.append((label, effects.isEmpty ? "-" : effects.map(Self.brief).joined(separator: ", ")))
        }
        if Recording.isWanted {
            return try Recording.write(lines.map { "\($0): \($1)" }, to: "Transitions", name)
        }
        var recorded = try Self.recorded(name)
        for (label, effects) in lines {
            let expected = recorded.removeValue(forKey: label)
            #expect(
                effects == expected,
                "\(label)\(expected == nil ? " is missing in \(name)\(Self.advice)" : "")"
            )
        }
        for label in recorded.keys {
            Issue.record("there is no event called \(label), which is in \(name)\(Self.advice)")
        }
    }

    @Test func `every table belongs to a state`() throws {
        if Recording.isWanted { return }
        let names = try DataFile.all(in: "Transitions", beside: #filePath).map(\.name)
        #expect(Set(names) == Set(InitialState.allCases.map { "\($0.rawValue).txt" }), "\(Self.advice)")
    }

    private static let advice =
        ": record with `PTT_RECORD=1 swift test --filter TransitionTests`, read the difference"

    private static func recorded(_ name: String) throws -> [String: String] {
        let file = try DataFile.all(in: "Transitions", beside: #filePath).first { $0.name == name }
        var effects: [String: String] = [:]
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
        case .reply(_, .refused(let refusal)): "reply \(refusal.code)"
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

import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct TransitionTests {
    /// `Transitions` has a file for each situation, with a line for each event: what follows, in the words of the trace.
    @Test(arguments: Situation.allCases)
    func `every event in every state leads to what the table says`(_ situation: Situation) throws {
        let files = try DataFile.all(in: "Transitions", beside: #filePath)
        let table = try #require(files.first { $0.name == "\(situation.rawValue).txt" }).text
        let (session, observer) = situation.reach()
        var lines: [String] = []
        for (label, event) in Alphabet.labelled {
            var (session, observer) = (session, observer)
            let (effects, violation) = observer.run(event, at: .seconds(60), in: &session)
            if let violation { Issue.record("\(label): \(violation)") }
            lines.append("\(label): \(effects.isEmpty ? "-" : effects.map(brief).joined(separator: ", "))")
        }
        let expected = table.split(separator: "\n").map(String.init)
        for (line, expected) in zip(lines, expected) {
            #expect(line == expected)
        }
        #expect(lines.count == expected.count, "\(lines.joined(separator: "\n"))")
    }

    /// Without what is the same everywhere or has its place in a scenario.
    private func brief(_ effect: TalkSession.Effect) -> String {
        switch effect {
        case .publish(.transmissionRefused(_, let refusal)): "publish transmissionRefused \(refusal.code)"
        case .publish(.transmissionBegan(let transmission)):
            "publish transmissionBegan \(transmission.origin.name)"
        case .publish(.channelJoined(let channel)):
            "publish channelJoined \(channel.application?.name ?? "without an application")"
        case .reply(_, .refused(let refusal)): "reply \(refusal.code)"
        case .reply(_, .joined(_, let format, let isApplication)):
            "reply joined \(format.rate)/\(format.channels)\(isApplication ? " application" : "")"
        case .reply(_, let answer): "reply \(answer)"
        case .openCapture, .closeCapture, .deliverFrames, .stopFrames, .setTimer, .cancelTimer, .publish:
            "\(effect)"
        }
    }
}

import Foundation
import PTTCore
import PTTMessages
import Testing

/// The rules in their shortest form, without effects, timers or capture streams.
private struct Model {
    let limit = 30
    var channel: ChannelID?
    var name = ""
    var application: ClientID?
    var talker: (client: ClientID, origin: Origin, began: Int)?
    var isHeard = false
    var count = 0
    var hasAudioServer = false
    var isSuspending = false
    var isOver = false
    var stuck: [Origin] = []

    mutating func silence() {
        talker = nil
        isHeard = false
    }

    /// - Returns: The answer to a request, in the words of the trace.
    mutating func take(_ event: TalkSession.Event, at second: Int) -> String? {
        switch event {
        case .joinRequested(_, let client, processID: _, let request, let fresh):
            return join(client, request, fresh)
        case .leaveRequested(_, _, let channelID):
            guard let channel, channelID ?? channel == channel else { return "channelNotFound" }
            silence()
            (self.channel, application) = (nil, nil)
            return "done"
        case .descriptorRequested(_, _, let request):
            guard channel != nil else { return "channelNotFound" }
            name = request.name
            return "done"
        case .beginRequested(_, let client, let request):
            return begin(client, request, second)
        case .endRequested(_, let client, let request):
            return end(client, request)
        case .clientDisconnected(let client):
            if talker?.client == client || application == client { silence() }
            if application == client { application = nil }
        case .timerFired:
            if let talker, second >= talker.began + limit {
                stuck.append(talker.origin)
                silence()
            }
        case .captureStarted(let capture): if talker != nil, capture.rawValue == count { isHeard = true }
        case .captureFailed(let capture, _): if talker != nil, capture.rawValue == count { silence() }
        case .audioServerReady: hasAudioServer = true
        case .audioServerLost:
            hasAudioServer = false
            silence()
        case .systemSuspending:
            isSuspending = true
            silence()
        case .systemResumed: isSuspending = false
        case .sessionLocked: silence()
        case .shuttingDown:
            isOver = true
            silence()
        }
        return nil
    }

    private mutating func join(_ client: ClientID, _ request: CoreInterface.JoinRequest, _ fresh: ChannelID)
        -> String
    {
        if isOver { return "unknown" }
        if let channel {
            if request.channelID != channel { return "channelLimitReached" }
            if request.application == nil { return "joined" }
            if application != nil { return "channelLimitReached" }
        }
        channel = request.channelID ?? fresh
        name = request.name
        application = request.application == nil ? nil : client
        return "joined"
    }

    private mutating func begin(_ client: ClientID, _ request: CoreInterface.BeginRequest, _ second: Int)
        -> String
    {
        guard let channel, request.channelID ?? channel == channel else { return "channelNotFound" }
        if isSuspending || isOver { return "unknown" }
        if talker != nil { return "transmissionInProgress" }
        if !hasAudioServer { return "unknown" }
        if stuck.contains(request.origin) { return "transmissionNotAllowed" }
        count += 1
        talker = (client, request.origin, second)
        return "began \(count)"
    }

    private mutating func end(_ client: ClientID, _ request: CoreInterface.EndRequest) -> String {
        if request.cause != .deviceRemoved { stuck.removeAll { $0 == request.origin } }
        guard let talker else { return "transmissionNotFound" }
        if let origin = request.origin, origin != talker.origin || client != talker.client {
            return "transmissionNotFound"
        }
        silence()
        return "done"
    }
}

@Suite struct ModelTests {
    /// 600 runs of the core with 200 events each. A failure names its seed; `PTT_SEED` runs it again.
    @Test func `a long life of random events goes as the model says`() {
        let given = ProcessInfo.processInfo.environment["PTT_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("PTT_SEED=\(seed)")
        var random = SplitMix(state: seed)
        var transmissions = 0
        for run in 0..<600 {
            guard let count = live(&random) else {
                Issue.record("PTT_SEED=\(seed), run \(run)")
                return
            }
            transmissions += count
        }
        #expect(transmissions > 3000, "the events lead nowhere")
    }

    /// - Returns: How many transmissions there were, or nil after a failure.
    private func live(_ random: inout SplitMix) -> Int? {
        var session = TalkSession(timeLimit: .seconds(30))
        var observer = Observer(session)
        var model = Model()
        var past: [String] = []
        var second = 0
        for _ in 0..<200 {
            second += Int.random(in: 0...3, using: &random)
            var event = draw(&random, model.count)
            if let timer = observer.timer, timer <= .seconds(second) { event = .timerFired }
            let (effects, violation) = observer.run(event, at: .seconds(second), in: &session)
            past.append("\(second)s \(event)")
            let answer = model.take(event, at: second)
            let difference = violation ?? compare(model, answer, session.status, effects)
            if let difference {
                Issue.record("\(difference), after:\n\(past.joined(separator: "\n"))")
                return nil
            }
        }
        return model.count
    }

    private func draw(_ random: inout SplitMix, _ count: Int) -> TalkSession.Event {
        switch Int.random(in: 0..<40, using: &random) {
        case 0...3: .audioServerReady
        case 4...6: .systemResumed
        case 7...12: .captureStarted(CaptureID(rawValue: count - Int.random(in: 0...1, using: &random)))
        case 13:
            .captureFailed(
                CaptureID(rawValue: count - Int.random(in: 0...1, using: &random)),
                .microphoneLost
            )
        case 14...21:
            Alphabet.begin(
                random.pick([Alphabet.button, Alphabet.headset]),
                by: random.pick([Alphabet.bridge, Alphabet.commandLine])
            )
        default:
            // Shutting down is for good; let it be rare.
            switch random.pick(Alphabet.events) {
            case .shuttingDown where Int.random(in: 0..<10, using: &random) > 0: .timerFired
            case let event: event
            }
        }
    }

    private func compare(
        _ model: Model,
        _ answer: String?,
        _ status: Status,
        _ effects: [TalkSession.Effect]
    ) -> String? {
        let answers = effects.compactMap { effect -> String? in
            switch effect {
            case .reply(_, .refused(let refusal)): "\(refusal.code)"
            case .reply(_, .joined): "joined"
            case .reply(_, let answer): "\(answer)"
            case .openCapture, .closeCapture, .deliverFrames, .stopFrames, .setTimer, .cancelTimer, .publish:
                nil
            }
        }
        if answers.first != answer { return "the answer is \(answers), the model's is \(answer ?? "none")" }
        let audio: AudioState =
            model.talker == nil ? .inactive : model.isHeard ? .active : .activating
        guard
            status.channel?.channelID == model.channel,
            status.channel == nil || status.channel?.name == model.name,
            (status.channel?.application != nil) == (model.application != nil),
            status.transmission?.origin == model.talker?.origin,
            status.audio == audio,
            status.isAudioServerReady == model.hasAudioServer
        else { return "the status is \(status), the model \(model)" }
        return nil
    }
}

/// A small generator that can be started again from its seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}

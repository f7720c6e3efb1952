import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Pushes from the socket to the application and back.
@Suite(.serialized) struct PushTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `a push reaches the application, and its answer opens the speaker and is published`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let payload = #"{"activeSpeaker": "Ana", "seat": 7}"#
        let pushID = try await core.connect().push(.to(application, payload: payload))
        let event = try await application.events.first { if case .pushReceived = $0 { true } else { false } }
        guard case .pushReceived(let push) = event else { return }
        #expect(push.pushID == pushID && push.kind == .pushToTalk && push.isHighPriority)
        #expect(push.payload == payload)
        try await application.finish(pushID, .activeRemoteParticipant, by: "Ana")
        _ = try await watcher.events.first {
            $0 == .participantChanged(participant: Participant(name: "Ana"))
        }
        #expect(
            try await watcher.events.next()
                == .pushFinished(pushID: pushID, outcome: .answered, explanation: nil)
        )
        _ = try await watcher.events.first { $0 == .audioActivated }
        try await application.setParticipant(nil)
        _ = try await watcher.events.first { $0 == .audioDeactivated }
    }

    @Test @EventLoop func `an answer may leave the channel`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let client = try core.connect()
        let pushID = try await client.push(.to(application))
        try await application.finish(pushID, .leaveChannel)
        _ = try await application.events.first {
            $0 == .pushFinished(pushID: pushID, outcome: .answered, explanation: nil)
        }
        #expect(
            try await application.events.next()
                == .channelLeft(leaveReason: .developerRequest, explanation: nil)
        )
        let rejected = try await rejection { _ = try await client.push(.to(application)) }
        #expect(rejected.code == .unregistered)
    }

    @Test @EventLoop
    func `a push is unanswered after five seconds, and a later answer still ends a transmission`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let pushID = try await core.connect().push(.to(application))
        _ = try await core.process.lines.first { $0.contains("push 1 is not answered yet") }
        let finished = try await application.events.first {
            if case .pushFinished = $0 { true } else { false }
        }
        guard case .pushFinished(pushID, .unanswered, _) = finished else {
            return #expect(Bool(false), "\(finished)")
        }
        let late = try await refusal { try await application.finish(pushID, .leaveChannel) }
        #expect(late.code == .unknown)
        let accessoryd = try core.connect()
        _ = try await accessoryd.begin()
        let batch = try await refusal {
            try await application.finish(
                pushID,
                .activeRemoteParticipant,
                by: "Ana",
                endsTransmission: true
            )
        }
        #expect(batch == late)
        #expect(try await watcher.nextEnd() == .stopped)
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `a push for an application that died and cannot be started is undeliverable`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let watcher = try core.connect()
        _ = try await watcher.subscribe()
        application.die()
        _ = try await watcher.events.first { $0 == .applicationDetached }
        let pushID = try await core.connect().push(.to(application))
        guard case .pushFinished(pushID, .undeliverable, _) = try await watcher.events.next() else {
            return #expect(Bool(false))
        }
    }

    @Test @EventLoop func `each error of a sender has its code`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        let sender = try core.connect()
        let early = try await rejection { _ = try await sender.push(.to(application)) }
        #expect(early.code == .unregistered)
        _ = try await application.join(.hikers)
        let update = #"{"aps": {"ptt-push-type": "service-update"}}"#
        let mistakes: [(PushRejectionCode, PushInterface.SendRequest)] = [
            (.badDeviceToken, .to(application, token: "0123")),
            (.invalidPushType, .to(application, type: "alert")),
            (.deviceTokenNotForTopic, .to(application, topic: "org.example.App")),
            (
                .payloadTooLarge,
                .to(application, payload: #"{"a": "\#(String(repeating: "x", count: 5120))"}"#)
            ),
            (.badPayload, .to(application, payload: "[]")),
            (.badPayload, .to(application, payload: "{")),
            (.badPayload, .to(application, payload: "")),
            (.badPayload, .to(application, payload: #"{"a": [{"b": null}]}"#)),
            (.badPayload, .to(application, payload: String(repeating: "[", count: 5000))),
            (.badPriority, .to(application, priority: 5)),
            (.badPriority, .to(application, priority: 0, payload: update)),
            (.badPriority, .to(application, priority: 11, payload: update)),
            (.badExpirationDate, .to(application, expiration: 1_000_000)),
            (.badExpirationDate, .to(application, expiration: -1)),
            (.badExpirationDate, .to(application, expiration: 4_000_000_000)),
        ]
        for (code, request) in mistakes {
            let rejected = try await rejection { _ = try await sender.push(request) }
            #expect(rejected.code == code, "\(request)")
            #expect(!rejected.reason.isEmpty)
        }
    }

    @Test @EventLoop func `six urgent service updates are accepted in an hour, and any number of others`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let sender = try core.connect()
        let update = #"{"aps": {"ptt-push-type": "service-update"}}"#
        for remaining in (0..<6).reversed() {
            let pushID = try await sender.push(.to(application, payload: update))
            let event = try await application.events.first {
                if case .pushReceived = $0 { true } else { false }
            }
            guard case .pushReceived(let push) = event else { return }
            #expect(push.kind == .serviceUpdate && push.remainingHighPriorityBudget == remaining)
            try await application.finish(pushID, .processed)
        }
        let rejected = try await rejection { _ = try await sender.push(.to(application, payload: update)) }
        #expect(rejected.code == .tooManyRequests)
        _ = try await sender.push(.to(application, priority: 5, payload: update))
    }
}

extension PushInterface.SendRequest {
    fileprivate static func to(
        _ application: AttachedApplication,
        token: String? = nil,
        topic: String = "org.example.App.voip-ptt",
        type: String = "pushtotalk",
        priority: Int = 10,
        expiration: Int = 0,
        payload: String = "{}"
    ) -> PushInterface.SendRequest {
        PushInterface.SendRequest(
            token: token.map { PushToken(rawValue: $0) } ?? application.attachment.pushToken,
            topic: topic,
            type: type,
            priority: priority,
            expiration: expiration,
            payload: payload
        )
    }
}

/// The rejection that `body` ends with.
@EventLoop
private func rejection(_ body: @EventLoop () async throws -> Void) async throws -> PushRejection {
    do {
        try await body()
    } catch VarlinkCallError.answered(let error) where error.name == PushInterface.rejected {
        return try error.parameters.decode(PushRejection.self)
    }
    throw NotRefused()
}

import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Pushes from the sender to the delegate and back.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PushTests {
    init() { withRunningLoop() }

    /// Semantics, “A participant by a push”, “A burst of pushes”.
    @EventLoop
    @Test func `a burst of pushes activates the session once`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        for _ in 0..<4 { try await fixture.push(joined.token, #"{"aps":{},"speaker":"Bob"}"#) }
        var lines = try await delegate.lines.next(5)
        #expect(lines.filter { $0 == "didActivate" }.count == 1)
        #expect(lines.filter { $0 == "incomingPush aps,speaker" }.count == 4)
        #expect(try await fixture.status().channel?.participant?.name == "Bob")
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        lines = [try await delegate.lines.next()]
        #expect(lines == ["didDeactivate"])
    }

    /// Semantics, “A push that stops the transmission”: the end and the participant take effect in one step.
    @EventLoop
    @Test func `a push that stops the transmission keeps the session active`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate { manager, channel in
            manager.stopTransmitting(channelUUID: channel)
            return .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil))
        }
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "didEnd 2"])
        #expect(try await fixture.status().audio == .active)
        #expect(try await fixture.sound.sourceOutputs() == [])
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "failedToStop transmissionNotFound"])
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
    }

    /// Semantics, “A participant while transmitting”.
    @EventLoop
    @Test func `a push without a stop does not interrupt the transmission`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        let finished = AsyncQueue(of: PushOutcome.self)
        let connection = try ServiceConnection.core()
        connection.subscribe(
            { if case .pushFinished(_, let outcome, _)? = $0.event { finished.add(outcome) } },
            ended: { _ in }
        )
        try await fixture.push(joined.token, "{}")
        #expect(try await finished.next() == .failed)
        #expect(try await fixture.status().transmission != nil)
        let lines = try await delegate.lines.next(2)
        #expect(lines == ["incomingPush ", "failedToActivate Bob transmissionInProgress"])
        connection.close()
    }

    /// Semantics, “Leaving by a push”, “The push token”.
    @EventLoop
    @Test func `a push can leave the channel, and later pushes are rejected`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate { _, _ in .leaveChannel }
        let joined = try await Joined.make(fixture, delegate)
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "didLeave 2 true"])
        do {
            try await fixture.push(joined.token, "{}")
            Issue.record("the push was accepted")
        } catch ServiceError.rejected(let rejection) {
            #expect(rejection.code == .unregistered)
        }
    }

    /// Semantics, “A service update”, “The budget of service updates”.
    @EventLoop
    @Test func `service updates have a budget and no audio`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        let update = #"{"aps":{"ptt-push-type":"service-update"}}"#
        for remaining in (0..<6).reversed() {
            try await fixture.push(joined.token, update)
            #expect(try await delegate.lines.next() == "serviceUpdate true \(remaining)")
        }
        do {
            try await fixture.push(joined.token, update)
            Issue.record("a seventh was accepted")
        } catch ServiceError.rejected(let rejection) {
            #expect(rejection.code == .tooManyRequests)
        }
        try await fixture.push(joined.token, update, priority: 5)
        #expect(try await delegate.lines.next() == "serviceUpdate false 0")
        #expect(try await fixture.status().audio == .inactive)
    }

    /// Semantics, “A push that is not answered”: bad input, an application that blocks loses its push, and
    /// delays no other client.
    @EventLoop
    @Test func `a delegate that blocks delays neither the core nor later events`() async throws {
        let fixture = try await LibraryFixture.start()
        let gate = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { _, _ in
            gate.wait()
            return .leaveChannel
        }
        let joined = try await Joined.make(fixture, delegate)
        let finished = AsyncQueue(of: PushOutcome.self)
        let connection = try ServiceConnection.core()
        connection.subscribe(
            { if case .pushFinished(_, let outcome, _)? = $0.event { finished.add(outcome) } },
            ended: { _ in }
        )
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next() == "incomingPush ")
        let button = try await fixture.press()
        #expect(try await fixture.status().transmission != nil)
        try await fixture.release(button)
        #expect(try await finished.next() == .unanswered)
        gate.signal()
        let later = try await delegate.lines.next(2)
        #expect(later == ["didBegin 3", "didActivate"] || later == ["didBegin 3", "didEnd 3"])
        #expect(try await fixture.status().channel != nil)
        connection.close()
    }
}

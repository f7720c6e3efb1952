import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Delegates that block the callback queue, or call the manager from other queues.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BlockedDelegateTests {
    init() { withRunningLoop() }

    /// Semantics, “A push is not delivered late”: the time limit of the second push passes while the first
    /// blocks the queue.
    @EventLoop
    @Test func `the delegate does not receive a push whose time limit has passed`() async throws {
        let fixture = try await LibraryFixture.start()
        let gate = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { _, _ in
            gate.wait()
            return .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil))
        }
        let joined = try await Joined.make(fixture, delegate)
        let (finished, connection) = try finishedPushes()
        try await fixture.push(joined.token, #"{"first":1}"#)
        #expect(try await delegate.lines.next() == "incomingPush first")
        try await fixture.push(joined.token, #"{"stale":1}"#)
        #expect(try await finished.next(2) == [.unanswered, .unanswered])
        gate.signal()
        gate.signal()
        // The late answer of the first is reported; the second was never delivered.
        #expect(try await delegate.lines.next() == "failedToActivate Bob unknown")
        joined.manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didLeave 2 true")
        #expect(!delegate.all.contains("incomingPush stale"))
        connection.close()
    }

    @EventLoop
    @Test func `leaving the channel by a late answer to a push fails`() async throws {
        let fixture = try await LibraryFixture.start()
        let gate = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { _, _ in
            gate.wait()
            return .leaveChannel
        }
        let joined = try await Joined.make(fixture, delegate)
        let (finished, connection) = try finishedPushes()
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next() == "incomingPush ")
        #expect(try await finished.next() == .unanswered)
        gate.signal()
        #expect(try await delegate.lines.next() == "failedToLeave unknown")
        #expect(try await fixture.status().channel != nil)
        connection.close()
    }

    /// Semantics, “A push that stops the transmission”: as from the callback queue.
    @EventLoop
    @Test func `a stop from another queue takes effect together with the answer to the push`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate { manager, channel in
            let elsewhere = DispatchQueue(label: "elsewhere")
            elsewhere.sync { manager.stopTransmitting(channelUUID: channel) }
            return .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil))
        }
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "didEnd 2"])
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
        #expect(delegate.all.filter { $0 == "didActivate" }.count == 1)
    }

    /// The microphone does not stay open until the answer comes.
    @EventLoop
    @Test func `a stop closes the microphone although the delegate then blocks`() async throws {
        let fixture = try await LibraryFixture.start()
        let gate = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { manager, channel in
            manager.stopTransmitting(channelUUID: channel)
            gate.wait()
            return .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil))
        }
        let joined = try await Joined.make(fixture, delegate)
        let ended = AsyncQueue(of: Bool.self)
        let connection = try ServiceConnection.core()
        connection.subscribe(
            {
                switch $0.event {
                case .transmissionEnded: ended.add(true)
                case .pushFinished: ended.add(false)
                default: break
                }
            },
            ended: { _ in }
        )
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        try await fixture.push(joined.token, "{}")
        #expect(try await ended.next())
        #expect(try await fixture.sound.sourceOutputs() == [])
        gate.signal()
        #expect(try await delegate.lines.next(3) == ["incomingPush ", "didEnd 2", "didDeactivate"])
        #expect(try await delegate.lines.next() == "didActivate")
        connection.close()
    }

    /// The outcomes of pushes, as the core publishes them.
    @EventLoop
    private func finishedPushes() throws -> (AsyncQueue<PushOutcome>, ServiceConnection) {
        let finished = AsyncQueue(of: PushOutcome.self)
        let connection = try ServiceConnection.core()
        connection.subscribe(
            { if case .pushFinished(_, let outcome, _)? = $0.event { finished.add(outcome) } },
            ended: { _ in }
        )
        return (finished, connection)
    }
}

import EventLoop
import Foundation
import PushToTalk
import TestSupport
import Testing

/// A delegate with only the asynchronous form of the method.
private final class AsynchronousDelegate: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate,
    Sendable
{
    let joined = AsyncQueue(of: Bool.self)
    let tokens = AsyncQueue(of: Data.self)
    let updates = AsyncQueue(of: String.self)

    func channelManager(_ manager: PTChannelManager, didJoinChannel uuid: UUID, reason: PTChannelJoinReason) {
        joined.add(true)
    }

    func channelManager(_ manager: PTChannelManager, didLeaveChannel uuid: UUID, reason: PTChannelLeaveReason)
    {}

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    func channelManager(_ manager: PTChannelManager, receivedEphemeralPushToken token: Data) {
        tokens.add(token)
    }

    func channelManager(_ manager: PTChannelManager, didActivate session: AVAudioSession) {}

    func channelManager(_ manager: PTChannelManager, didDeactivate session: AVAudioSession) {}

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }

    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int
    ) async {
        updates.add("\(pushPayload["roster"] ?? "nothing") \(remainingHighPriorityBudget)")
    }

    func channelDescriptor(restoredChannelUUID uuid: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Updated", image: nil)
    }
}

@Suite(.serialized, .timeLimit(.minutes(3)))
struct ServiceUpdateTests {
    init() { withRunningLoop() }

    /// Semantics, “Optional delegate methods”: `RecordingDelegate` has the other form.
    @EventLoop
    @Test func `a delegate with only the asynchronous form receives service updates`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = AsynchronousDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        let descriptor = PTChannelDescriptor(name: "Ops", image: nil)
        manager.requestJoinChannel(channelUUID: fixture.channel, descriptor: descriptor)
        _ = try await delegate.joined.next()
        let token = try await delegate.tokens.next()
        try await fixture.push(token, #"{"aps":{"ptt-push-type":"service-update"},"roster":"all"}"#)
        #expect(try await delegate.updates.next() == "all 5")
    }
}

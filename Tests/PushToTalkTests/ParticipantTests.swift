import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// The application is notified whether a remote participant can be heard.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ParticipantTests {
    init() { withRunningLoop() }

    private static let bob = PTParticipant(name: "Bob", image: nil)

    /// Semantics, “Success means activation”.
    @EventLoop
    @Test func `setting a participant succeeds before the session is activated`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel) {
            delegate.record($0.map { "\($0)" } ?? "granted")
        }
        #expect(try await delegate.lines.next(2) == ["granted", "didActivate"])
    }

    /// Semantics, “Success means activation”: the sound server has no device to play on.
    @EventLoop
    @Test func `a speaker that cannot be opened is an error of the participant, and no interruption`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let observation = observeInterruptions(delegate)
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        let error = await #expect(throws: PTChannelError.self) {
            try await manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel)
        }
        #expect(error?.code == .unknown)
        #expect(error?.pttReason.contains("cannot be heard") == true, "\(error?.pttReason ?? "")")
        #expect(try await fixture.status().channel?.participant == nil)
        // The participant is not set any more: a half-duplex channel can transmit.
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        #expect(delegate.all == ["didJoin 0 true", "didBegin 2", "didActivate"])
        NotificationCenter.default.removeObserver(observation)
    }

    /// As for a participant from the application, but without a completion handler.
    @EventLoop
    @Test func `a participant of a push who cannot be heard is reported`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "didActivate"])
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "failedToActivate Bob unknown"])
        #expect(try await fixture.status().channel?.participant == nil)
    }

    /// The session is active for the transmission: no activation says whether the participant is heard.
    @EventLoop
    @Test func `a participant of a push who cannot be heard is reported during a transmission too`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        try await joined.manager.setTransmissionMode(.fullDuplex, channelUUID: fixture.channel)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        try await fixture.push(joined.token, "{}")
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "failedToActivate Bob unknown"])
        #expect(try await fixture.status().channel?.participant == nil)
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
    }

    /// It is not known yet whether the participant can be heard: the sound server does not answer.
    @EventLoop
    @Test func `the loss of the core is an error of the participant of a push`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        fixture.sound.freeze()
        try await fixture.push(joined.token, "{}")
        try await fixture.until { $0.channel?.participant != nil }
        fixture.core.crash()
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "failedToActivate Bob unknown"])
    }

    /// The application has asked for that itself.
    @EventLoop
    @Test func `a participant of a push whom the application clears at once is not reported`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        fixture.sound.freeze()
        try await fixture.push(joined.token, "{}")
        try await fixture.until { $0.channel?.participant != nil }
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        joined.manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["incomingPush ", "didLeave 2 true"])
    }

    @EventLoop
    @Test func `the loss of the core is an error of the participant, and no activation`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.sound.freeze()
        manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel) {
            delegate.record($0.map { "\(($0 as? PTChannelError)?.code.rawValue ?? -1)" } ?? "granted")
        }
        // The core answers other clients while it waits for the sound server.
        #expect(try await fixture.status().channel?.participant?.name == "Bob")
        fixture.core.crash()
        #expect(try await delegate.lines.next() == "0")
        #expect(delegate.all == ["didJoin 0 true", "0"])
    }

    /// Each interruption has its end, also if no participant is set any more, and in full duplex.
    @EventLoop
    @Test func `an interruption ends with the participant`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let observation = observeInterruptions(delegate)
        try await manager.setTransmissionMode(.fullDuplex, channelUUID: fixture.channel)
        try await manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didBegin 2")
        fixture.sound.kill()
        #expect(try await delegate.lines.next(3) == ["didEnd 0", "interrupted", "didDeactivate"])
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "interruption ended")
        NotificationCenter.default.removeObserver(observation)
    }

    /// The observers of the session outlive the manager.
    @EventLoop
    @Test func `an interruption ends with the manager`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let observation = observeInterruptions(delegate)
        try await interruptAndRelease(fixture, delegate)
        #expect(try await delegate.lines.next() == "interruption ended")
        NotificationCenter.default.removeObserver(observation)
    }

    /// Creates a manager, and releases it while the session is interrupted.
    @EventLoop
    private func interruptAndRelease(_ fixture: LibraryFixture, _ delegate: RecordingDelegate) async throws {
        let manager = try await Joined.make(fixture, delegate).manager
        try await manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        fixture.sound.kill()
        #expect(try await delegate.lines.next(2) == ["interrupted", "didDeactivate"])
        withExtendedLifetime(manager) {}
    }

    /// Only the speaker is lost: a transmission that has begun keeps the session active, and a later one
    /// activates it again.
    @EventLoop
    @Test func `an interruption of the participant ends when a transmission activates the session`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let observation = observeInterruptions(delegate)
        try await manager.setTransmissionMode(.fullDuplex, channelUUID: fixture.channel)
        try await manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        try await fixture.sound.pactl("unload-module", "module-null-sink")
        #expect(try await delegate.lines.next(2) == ["interrupted", "didDeactivate"])
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        let begin = try await delegate.lines.next(3)
        #expect(begin == ["didBegin 2", "interruption ended", "didActivate"])
        manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(3) == ["didEnd 2", "interrupted", "didDeactivate"])
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["interruption ended", "didLeave 2 true"])
        NotificationCenter.default.removeObserver(observation)
    }

    /// The devices are known before they are used, not only after a change.
    @EventLoop
    @Test func `the route is known when the session is activated`() async throws {
        let session = AVAudioSession.sharedInstance()
        session.routeChanged(input: "earlier", output: "earlier")
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        #expect(session.currentRoute.inputs.map(\.portName) == ["tone"])
        manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
        try await manager.setActiveRemoteParticipant(Self.bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        #expect(session.currentRoute.outputs.map(\.portName) == ["speaker"])
    }

    private func observeInterruptions(_ delegate: RecordingDelegate) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification,
            object: nil,
            queue: nil
        ) { notification in
            let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            let type = value.flatMap { AVAudioSession.InterruptionType(rawValue: $0) }
            delegate.record(type == .began ? "interrupted" : "interruption ended")
        }
    }
}

import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// Semantics, “The order of callbacks”: the library with a real core, and the callbacks of transmissions in
/// order.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TransmissionTests {
    init() { withRunningLoop() }

    /// Semantics, “A begin by the application”, “A stop by the application”.
    @EventLoop
    @Test func `the application begins and stops`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        #expect(try await fixture.sound.sourceOutputs().count == 1)
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
        #expect(try await fixture.sound.sourceOutputs() == [])
    }

    /// Semantics, “A begin by a button”, “The source of an end”.
    @EventLoop
    @Test func `a transmission of a button has the source handsfreeButton`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        let button = try await fixture.press()
        #expect(try await delegate.lines.next(2) == ["didBegin 3", "didActivate"])
        try await fixture.release(button)
        #expect(try await delegate.lines.next(2) == ["didEnd 3", "didDeactivate"])
        withExtendedLifetime(joined) {}
    }

    /// Semantics, “Tones”.
    @EventLoop
    @Test func `a press that the network does not grant ends with the floor taken`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        let watcher = try ServiceConnection.core()
        let ends = AsyncQueue(of: EndCause.self)
        watcher.subscribe(
            { if case .transmissionEnded(_, let cause, _) = $0.event { ends.add(cause) } },
            ended: { _ in }
        )
        let button = try await fixture.press()
        #expect(try await delegate.lines.next(2) == ["didBegin 3", "didActivate"])
        joined.manager.pttYieldFloor(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
        #expect(try await ends.next() == .floorTaken)
        for connection in [watcher, button] { connection.close() }
    }

    /// Semantics, “A second begin”, “A stop without a transmission”.
    @EventLoop
    @Test func `a second begin and a stop without a transmission are refused`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToStop transmissionNotFound")
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        let begin = try await delegate.lines.next(3)
        #expect(begin.first == "didBegin 2")
        #expect(Set(begin.dropFirst()) == ["didActivate", "failedToBegin transmissionInProgress"])
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        let end = try await delegate.lines.next(3)
        #expect(end == ["didEnd 2", "didDeactivate", "failedToStop transmissionNotFound"])
    }

    /// Semantics, “A short press”.
    @EventLoop
    @Test func `a short press is reported without activation`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let joined = try await Joined.make(fixture, delegate)
        joined.manager.requestBeginTransmitting(channelUUID: fixture.channel)
        joined.manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didEnd 2"])
        joined.manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didLeave 2 true")
    }

    /// Semantics, “Listen only”, “A service that is not ready”, “A begin in the background”.
    @EventLoop
    @Test func `mode, status and background prevent a begin`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        try await manager.setTransmissionMode(.listenOnly, channelUUID: fixture.channel)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToBegin transmissionNotAllowed")
        try await manager.setTransmissionMode(.halfDuplex, channelUUID: fixture.channel)
        try await manager.setServiceStatus(.connecting, channelUUID: fixture.channel)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToBegin transmissionNotAllowed")
        try await manager.setServiceStatus(.ready, channelUUID: fixture.channel)
        manager.pttSetForeground(false)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToBegin appNotForeground")
        manager.pttSetForeground(true)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
    }

    /// Semantics, “A participant by the application”, “Another participant”, “The end of a participant”,
    /// “Success means activation”.
    @EventLoop
    @Test func `the session is activated once for all participants until none is set`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let channel = fixture.channel
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: channel)
        #expect(try await delegate.lines.next() == "didActivate")
        let eve = PTParticipant(name: "Eve", image: nil)
        try await manager.setActiveRemoteParticipant(eve, channelUUID: channel)
        #expect(try await fixture.status().channel?.participant?.name == "Eve")
        try await manager.setActiveRemoteParticipant(nil, channelUUID: channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
        do {
            try await manager.setActiveRemoteParticipant(nil, channelUUID: channel)
            Issue.record("a second nil succeeded")
        } catch PTChannelError.transmissionNotFound {
        }
        #expect(try await fixture.status().channel?.participant == nil)
    }

    /// Semantics, “A participant talks in half duplex”, “A participant while transmitting”.
    @EventLoop
    @Test func `in half duplex only one side talks at a time`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "failedToBegin transmissionNotAllowed")
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(3) == ["didDeactivate", "didBegin 2", "didActivate"])
        do {
            try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
            Issue.record("a participant was set during a transmission")
        } catch PTChannelError.transmissionInProgress {
        }
    }

    /// Semantics, “A participant talks in full duplex”.
    @EventLoop
    @Test func `in full duplex a transmission begins while a participant talks, without a second activation`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        try await manager.setTransmissionMode(.fullDuplex, channelUUID: fixture.channel)
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didBegin 2")
        manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didEnd 2")
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
    }

    /// Semantics, “Leaving while transmitting”.
    @EventLoop
    @Test func `leaving during a transmission reports its end first`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        manager.leaveChannel(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(3) == ["didEnd 0", "didDeactivate", "didLeave 2 true"])
    }

    /// Semantics, “A begin by the application”, “The microphone outside a transmission”: the frames of the
    /// microphone come with the activation and end with it.
    @EventLoop
    @Test func `an application reads the microphone in ten lines`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        for await _ in AVAudioSession.sharedInstance().ptt.microphone {
            Issue.record("a frame came before the activation")
        }
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        let channel = fixture.channel
        var frames: [PTTAudioFrame] = []
        for await frame in AVAudioSession.sharedInstance().ptt.microphone {
            frames.append(frame)
            if frames.count == 10 { manager.stopTransmitting(channelUUID: channel) }
        }
        #expect(frames.count >= 10)
        // A virtual microphone delivers a second at once, more than the socket holds.
        #expect(frames.prefix(10).map(\.sequence) == (0..<10).map { UInt64($0) })
        #expect(frames.contains { frame in frame.samples.contains { abs(Int($0)) > 1000 } })
        #expect(try await delegate.lines.next(2) == ["didEnd 2", "didDeactivate"])
    }

    /// The session stays active for the participant, so that only the end of the transmission separates the
    /// two.
    @EventLoop
    @Test func `a transmission begins with its own frames`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let channel = fixture.channel
        try await manager.setTransmissionMode(.fullDuplex, channelUUID: channel)
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: channel)
        #expect(try await delegate.lines.next() == "didActivate")
        // No iterator reads the first.
        try await begin(manager, in: fixture, reportedTo: delegate)
        try await waitForCapture(in: fixture)
        manager.stopTransmitting(channelUUID: channel)
        #expect(try await delegate.lines.next() == "didEnd 2")
        try await begin(manager, in: fixture, reportedTo: delegate)
        var frames = AVAudioSession.sharedInstance().ptt.microphone.makeAsyncIterator()
        var numbers = [await frames.next()?.sequence]
        try await waitForCapture(in: fixture)
        manager.stopTransmitting(channelUUID: channel)
        #expect(try await delegate.lines.next() == "didEnd 2")
        try await manager.setActiveRemoteParticipant(nil, channelUUID: channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
        while let frame = await frames.next() { numbers.append(frame.sequence) }
        // Each transmission counts its frames from 0.
        #expect(numbers.first == 0)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { ($0 ?? 0) < ($1 ?? 0) })
    }

    /// Waits until the microphone is open, and has been for as long as `pactl` takes to run.
    @EventLoop
    private func waitForCapture(in fixture: LibraryFixture) async throws {
        try await until { try await fixture.sound.pactl("list", "source-outputs").contains("Corked: no") }
        _ = try await fixture.sound.sourceOutputs()
    }

    @EventLoop
    private func begin(
        _ manager: PTChannelManager,
        in fixture: LibraryFixture,
        reportedTo delegate: RecordingDelegate
    )
        async throws
    {
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didBegin 2")
    }

    /// The speaker sets the pace of the writer, and the sink has its samples.
    @EventLoop
    @Test func `a second of audio takes about a second to play`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        let clock = ContinuousClock()
        let speaker = AVAudioSession.sharedInstance().ptt.speaker
        let time = await clock.measure {
            for _ in 0..<100 { #expect(await speaker.play(PTTAudioFrame(samples: [1, 2, 3]))) }
            await speaker.finish()
        }
        #expect(time > .milliseconds(1200))
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
    }
}

import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import TestSupport
import Testing

/// The replacements of UIKit's and AVFAudio's types.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PlatformTests {
    init() { withRunningLoop() }

    /// The loss of the audio server interrupts the remote participant, who is heard again when it is back.
    @EventLoop
    @Test func `the loss of the audio server is an interruption`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let observations = [
            observe(AVAudioSession.interruptionNotification) { notification in
                let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
                let type = value.flatMap { AVAudioSession.InterruptionType(rawValue: $0) }
                delegate.record(type == .began ? "interrupted" : "interruption ended")
            },
            observe(AVAudioSession.mediaServicesWereLostNotification) { _ in delegate.record("lost") },
            observe(AVAudioSession.mediaServicesWereResetNotification) { _ in delegate.record("reset") },
        ]
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        fixture.sound.kill()
        #expect(try await delegate.lines.next(3) == ["interrupted", "didDeactivate", "lost"])
        try await fixture.sound.restart()
        #expect(try await delegate.lines.next(3) == ["reset", "interruption ended", "didActivate"])
        for observation in observations { NotificationCenter.default.removeObserver(observation) }
    }

    /// An audio server that appears for the first time is no reset: nothing was lost.
    @EventLoop
    @Test func `services are reset only after a loss`() async throws {
        let fixture = try await LibraryFixture.start()
        fixture.sound.kill()
        try await fixture.until { !$0.isAudioServerReady }
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let observation = observe(AVAudioSession.mediaServicesWereResetNotification) { _ in
            delegate.record("reset")
        }
        try await fixture.sound.restart()
        try await fixture.soundIsReady()
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next(2) == ["didBegin 2", "didActivate"])
        NotificationCenter.default.removeObserver(observation)
    }

    @Test func `a route change notification has the previous route`() throws {
        let session = AVAudioSession.sharedInstance()
        session.routeChanged(input: "internal", output: "speaker")
        let previousInputs = AsyncQueue(of: [String].self)
        let observation = observe(AVAudioSession.routeChangeNotification) { notification in
            let key = AVAudioSessionRouteChangePreviousRouteKey
            let previous = notification.userInfo?[key] as? AVAudioSessionRouteDescription
            previousInputs.add(previous?.inputs.map(\.portName) ?? [])
        }
        session.routeChanged(input: "headset", output: nil)
        NotificationCenter.default.removeObserver(observation)
        #expect(session.currentRoute.inputs.map(\.portName) == ["headset"])
        #expect(session.currentRoute.outputs.map(\.portName) == ["speaker"])
    }

    @Test(arguments: [
        (
            "PNG",
            [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 1, 2, 0, 0, 0, 3]
        ),
        ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 17, 8, 0, 3, 1, 2, 3, 0, 0, 0, 0]),
        ("GIF", Array("GIF89a".utf8) + [2, 1, 3, 0]),
    ])
    func `an image knows its size from its header`(_ kind: String, _ bytes: [UInt8]) throws {
        let image = try #require(UIImage(data: Data(bytes)))
        #expect(image.size == CGSize(width: 258, height: 3))
        #expect((image.pngData() != nil) == (kind == "PNG"))
        #expect((image.jpegData(compressionQuality: 1) != nil) == (kind == "JPEG"))
    }

    @Test(arguments: [
        [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0xFF, 0xC0], [1], [0x47],
    ])
    func `a broken image has no size and does no harm`(_ bytes: [UInt8]) throws {
        #expect(try #require(UIImage(data: Data(bytes))).size == .zero)
        #expect(UIImage(data: Data()) == nil)
        #expect(UIImage(named: "there is none") == nil)
        #expect(UIImage(contentsOfFile: "/nowhere") == nil)
    }

    private func observe(
        _ name: Notification.Name,
        _ body: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil, using: body)
    }
}

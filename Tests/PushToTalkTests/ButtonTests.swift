import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// A delegate that records the button of each transmission, and the buttons that do not transmit.
private final class ManyButtons: NSObject, ForwardingDelegate, PTTButtonDelegate, Sendable {
    let recorded = RecordingDelegate()

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        recorded.record("didBegin \(role(channelManager))")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        recorded.record("didEnd \(role(channelManager)) \(source.rawValue)")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonPressed accessory: PTTAccessory
    ) {
        recorded.record("pressed \(accessory.role) \(role(channelManager))")
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonReleased accessory: PTTAccessory
    ) {
        recorded.record("released \(accessory.role)")
    }

    private func role(_ manager: PTChannelManager) -> String {
        manager.pttTransmissionRole.map { "\($0)" } ?? "nothing"
    }
}

/// The buttons of an accessory, as the application is notified of them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ButtonTests {
    init() { withRunningLoop() }

    private static let origin = Origin(kind: .serialMicrophone, identifier: "mic", name: "Mic")

    @EventLoop
    private func join(_ fixture: LibraryFixture, _ delegate: ManyButtons) async throws -> PTChannelManager {
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        manager.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "Ops", image: nil)
        )
        #expect(try await delegate.recorded.lines.next() == "didJoin 0 true")
        return manager
    }

    /// A press as ptt-accessoryd reports it.
    @EventLoop
    private func press(_ role: ButtonRole, on connection: ServiceConnection) async throws {
        _ = try await connection.call(
            ChannelInterface.beginTransmitting,
            .init(channelID: nil, source: .handsfreeButton, origin: Self.origin, role: role)
        )
    }

    @EventLoop
    @Test
    func `an emergency is activated for itself, whether a participant or another button has the session`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = ManyButtons()
        let lines = delegate.recorded.lines
        let manager = try await join(fixture, delegate)
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await lines.next() == "didActivate")
        let mic = try ServiceConnection.core()
        try await press(.emergency, on: mic)
        #expect(try await lines.next(3) == ["didDeactivate", "didBegin emergency", "didActivate"])
        _ = try await mic.call(
            ChannelInterface.endTransmitting,
            .init(channelID: nil, origin: Self.origin, cause: .released, role: .emergency)
        )
        #expect(try await lines.next(3) == ["didEnd emergency 3", "didDeactivate", "didActivate"])
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await lines.next() == "didDeactivate")
        let button = try await fixture.press()
        #expect(try await lines.next(2) == ["didBegin talk", "didActivate"])
        try await press(.emergency, on: mic)
        #expect(
            try await lines.next(4)
                == ["didEnd talk 0", "didDeactivate", "didBegin emergency", "didActivate"]
        )
        mic.close()
        #expect(try await lines.next(2) == ["didEnd emergency 0", "didDeactivate"])
        button.close()
        #expect(manager.pttTransmissionRole == nil)
    }

    /// Presses of the application's own button.
    @EventLoop
    @Test func `the application begins an emergency over a participant, and a talk is refused`() async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = ManyButtons()
        let lines = delegate.recorded.lines
        let manager = try await join(fixture, delegate)
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await lines.next() == "didActivate")
        manager.pttRequestBeginTransmitting(channelUUID: fixture.channel, role: .secondTalk)
        manager.pttRequestBeginTransmitting(channelUUID: fixture.channel, role: .channelUp)
        manager.pttRequestBeginTransmitting(channelUUID: fixture.channel, role: .other)
        manager.pttRequestBeginTransmitting(channelUUID: fixture.channel, role: .emergency)
        #expect(try await lines.next(3) == ["didDeactivate", "didBegin emergency", "didActivate"])
        manager.stopTransmitting(channelUUID: fixture.channel)
        #expect(try await lines.next(3) == ["didEnd emergency 2", "didDeactivate", "didActivate"])
    }

    @EventLoop
    @Test func `buttons that do not transmit are pressed and released, also if the core is lost`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = ManyButtons()
        let lines = delegate.recorded.lines
        let manager = try await join(fixture, delegate)
        let mic = try ServiceConnection.core()
        func report(_ role: ButtonRole, isPressed: Bool) async throws {
            _ = try await mic.call(
                ChannelInterface.reportButton,
                .init(channelID: nil, origin: Self.origin, role: role, isPressed: isPressed)
            )
        }
        try await report(.channelUp, isPressed: true)
        try await report(.channelUp, isPressed: false)
        #expect(try await lines.next(2) == ["pressed channelUp nothing", "released channelUp"])
        try await report(.multifunction, isPressed: true)
        #expect(try await lines.next() == "pressed multifunction nothing")
        fixture.core.crash()
        #expect(try await lines.next() == "released multifunction")
        withExtendedLifetime(manager) {}
    }
}

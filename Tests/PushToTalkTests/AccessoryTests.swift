import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing

/// A delegate that transmits while a button is held.
private final class HoldToTalk: NSObject, ForwardingDelegate, PTTAccessoryDelegate, Sendable {
    let recorded = RecordingDelegate()

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryPressed accessory: PTTAccessory
    ) {
        recorded.record("pressed \(accessory.kind) \(accessory.name)")
        channelManager.requestBeginTransmitting(channelUUID: channelUUID)
    }

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryReleased accessory: PTTAccessory
    ) {
        recorded.record("released \(accessory.identifier)")
        channelManager.stopTransmitting(channelUUID: channelUUID)
    }
}

/// The application receives the buttons that do not begin and end transmissions.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AccessoryTests {
    init() { withRunningLoop() }

    @EventLoop
    @Test func `an application in the background transmits while a button is held`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = HoldToTalk()
        let manager = try await joinWithoutButtonEvents(fixture, delegate)
        manager.pttSetForeground(false)
        let button = try await refusedPress()
        let lines = delegate.recorded.lines
        #expect(try await lines.next(3) == ["pressed bluetoothButton Button", "didBegin 2", "didActivate"])
        try await fixture.release(button)
        #expect(try await lines.next(3) == ["released Button", "didEnd 2", "didDeactivate"])
    }

    /// The core reports the loss of the accessory; the library that of the core.
    @EventLoop
    @Test func `a button is reported as released when ptt-accessoryd or the core is lost`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = HoldToTalk()
        let manager = try await joinWithoutButtonEvents(fixture, delegate)
        let lines = delegate.recorded.lines
        let button = try await refusedPress()
        #expect(try await lines.next(3) == ["pressed bluetoothButton Button", "didBegin 2", "didActivate"])
        button.close()
        #expect(try await lines.next(3) == ["released Button", "didEnd 2", "didDeactivate"])
        let again = try await refusedPress()
        #expect(try await lines.next(3) == ["pressed bluetoothButton Button", "didBegin 2", "didActivate"])
        fixture.core.crash()
        #expect(try await lines.next(3) == ["didEnd 0", "didDeactivate", "released Button"])
        again.close()
        withExtendedLifetime(manager) {}
    }

    /// A manager whose channel's buttons do not begin and end transmissions.
    @EventLoop
    private func joinWithoutButtonEvents(_ fixture: LibraryFixture, _ delegate: HoldToTalk) async throws
        -> PTChannelManager
    {
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        let descriptor = PTChannelDescriptor(name: "Ops", image: nil)
        manager.requestJoinChannel(channelUUID: fixture.channel, descriptor: descriptor)
        #expect(try await delegate.recorded.lines.next() == "didJoin 0 true")
        try await manager.setAccessoryButtonEventsEnabled(false, channelUUID: fixture.channel)
        return manager
    }

    /// A press as ptt-accessoryd reports it, which the core refuses.
    @EventLoop
    private func refusedPress() async throws -> ServiceConnection {
        let connection = try ServiceConnection.core()
        let origin = Origin(kind: .bluetoothButton, identifier: "Button", name: "Button")
        let refused = await #expect(throws: ServiceError.self) {
            _ = try await connection.call(
                ChannelInterface.beginTransmitting,
                .init(channelID: nil, source: .handsfreeButton, origin: origin)
            )
        }
        if case .refused = try #require(refused) {} else { Issue.record("\(refused as Any)") }
        return connection
    }
}

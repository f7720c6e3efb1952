import Foundation
import PushToTalk

extension Radio: @MainActor PTTAccessoryDelegate {
    func handleButtons(_ manager: PTChannelManager, channelUUID: UUID) async throws {
        // Again after each join and restoration, like mode and status.
        try await manager.setAccessoryButtonEventsEnabled(false, channelUUID: channelUUID)
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryPressed accessory: PTTAccessory
    ) {
        guard isInCall else { return print("\(accessory.name) was pressed") }
        manager.requestBeginTransmitting(channelUUID: channelUUID)
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryReleased accessory: PTTAccessory
    ) {
        manager.stopTransmitting(channelUUID: channelUUID)
    }

    private var isInCall: Bool { true }
}

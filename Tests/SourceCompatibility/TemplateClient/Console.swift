// An application from Xcode 26's template: Swift 6, with the main actor as default isolation, also of the
// delegate and its conformances. Compiles unchanged on iOS.
import PushToTalk

public final class Console: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate {
    public private(set) var lines: [String] = [] {
        didSet { changed(lines) }
    }
    private let changed: @Sendable ([String]) -> Void
    private var manager: PTChannelManager?

    public init(changed: @escaping @Sendable ([String]) -> Void) {
        self.changed = changed
    }

    public func start(_ channel: UUID) async throws {
        let manager = try await PTChannelManager.channelManager(delegate: self, restorationDelegate: self)
        self.manager = manager
        manager.requestJoinChannel(
            channelUUID: channel,
            descriptor: PTChannelDescriptor(name: "Console", image: nil)
        )
    }

    public func stop() {
        manager = nil
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        lines.append("joined")
        channelManager.setTransmissionMode(.fullDuplex, channelUUID: channelUUID) { error in
            Task { @MainActor in self.lines.append(error?.localizedDescription ?? "full duplex") }
        }
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        lines.append("left")
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        lines.append("talking")
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        lines.append("listening")
    }

    public func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    public func channelManager(_ channelManager: PTChannelManager, didActivate session: AVAudioSession) {}

    public func channelManager(_ channelManager: PTChannelManager, didDeactivate session: AVAudioSession) {}

    public func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }

    public func channelDescriptor(restoredChannelUUID: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Console", image: nil)
    }
}

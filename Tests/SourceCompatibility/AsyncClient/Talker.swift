// An actor that owns a manager and uses its asynchronous methods: Swift 6. Compiles unchanged on iOS.
import Foundation
import PushToTalk

public actor Talker {
    private let listener = Listener()
    private var manager: PTChannelManager?

    public init() {}

    public func start() async throws {
        do {
            manager = try await PTChannelManager.channelManager(
                delegate: listener,
                restorationDelegate: listener
            )
        } catch PTInstantiationError.instantiationAlreadyInProgress {
            return
        } catch let error as PTInstantiationError where error.code == .missingEntitlement {
            throw error
        }
    }

    public func configure(_ channel: UUID) async throws {
        guard let manager else { return }
        try await manager.setTransmissionMode(.fullDuplex, channelUUID: channel)
        try await manager.setServiceStatus(.connecting, channelUUID: channel)
        try await manager.setChannelDescriptor(
            PTChannelDescriptor(name: "Team", image: nil),
            channelUUID: channel
        )
        do {
            try await manager.setActiveRemoteParticipant(
                PTParticipant(name: "Ann", image: nil),
                channelUUID: channel
            )
        } catch PTChannelError.channelNotFound {
            print("not joined")
        } catch let error as PTChannelError {
            print(error.code, PTChannelError.errorDomain == PTChannelErrorDomain)
        }
        if #available(iOS 17.0, *) {
            try await manager.setAccessoryButtonEventsEnabled(false, channelUUID: channel)
        }
    }
}

final class Listener: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate, Sendable {
    func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {}

    func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {}

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data) {}

    func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {}

    func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession) {}

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        .leaveChannel
    }

    func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int
    ) async {
        await Task.yield()
    }

    func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Team", image: nil)
    }
}

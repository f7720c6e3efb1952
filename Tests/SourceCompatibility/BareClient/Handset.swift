// An application that imports only PushToTalk, and configures the audio session before it creates a manager:
// Swift 5. Compiles unchanged on iOS.
import PushToTalk

public class Handset: NSObject {
    public private(set) var updates: [String] = []
    public private(set) var log: [String] = []
    var manager: PTChannelManager?
    let channel = UUID()
    let picture = UIImage()

    public override init() {}

    /// Returns early if the session cannot be activated, as many applications do.
    public func prepare() -> Bool {
        let session = AVAudioSession.sharedInstance()
        switch session.recordPermission {
        case .granted: break
        case .denied: return false
        case .undetermined: session.requestRecordPermission { print("allowed:", $0) }
        @unknown default: return false
        }
        do {
            try session.setCategory(
                .playAndRecord,
                mode: .default,
                options: [.allowBluetoothA2DP, .defaultToSpeaker]
            )
            try session.setPreferredSampleRate(48000)
            if session.preferredIOBufferDuration > 0.01 { try session.setPreferredIOBufferDuration(0.01) }
            try session.setActive(true)
            try session.overrideOutputAudioPort(session.outputVolume < 0.2 ? .speaker : .none)
            let headset = session.availableInputs?.first {
                $0.portType == .bluetoothHFP || $0.portType == .headsetMic
            }
            try session.setPreferredInput(headset)
        } catch {
            log.append("no audio session: \(error.localizedDescription)")
            return false
        }
        return true
    }

    public func start() {
        guard prepare() else { return }
        PTChannelManager.channelManager(delegate: self, restorationDelegate: self) {
            [weak self] manager, error in
            guard let self = self else { return }
            if let error = error { self.log.append(self.explain(error)) }
            self.manager = manager
            let descriptor = PTChannelDescriptor(name: "Handset", image: self.picture)
            manager?.requestJoinChannel(channelUUID: self.channel, descriptor: descriptor)
        }
    }

    /// The reason of an error that may have been converted on its way.
    public func explain(_ error: Error) -> String {
        let object = error as NSError
        switch object {
        case PTInstantiationError.missingEntitlement: return "no entitlement"
        case PTInstantiationError.invalidPlatform, PTInstantiationError.unknown: return "not here"
        case PTChannelError.channelLimitReached: return "another channel"
        default: break
        }
        if object.domain == "com.apple.pushtotalk.channel" { return "channel \(object.code)" }
        if let error = object as? PTInstantiationError { return "no manager: \(error.code.rawValue)" }
        return object.localizedDescription
    }
}

extension Handset: PTChannelManagerDelegate, PTChannelRestorationDelegate {
    public func channelManager(_: PTChannelManager, didJoinChannel channel: UUID, reason: PTChannelJoinReason)
    {
        log.append(String(describing: reason))
    }

    public func channelManager(
        _: PTChannelManager,
        didLeaveChannel channel: UUID,
        reason: PTChannelLeaveReason
    ) {
        let stored = PTChannelLeaveReason(rawValue: reason.rawValue) ?? .unknown
        log.append("left: \(stored)")
    }

    public func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        do {
            try AVAudioSession.sharedInstance().setActive(true, options: .notifyOthersOnDeactivation)
        } catch {
            return
        }
        log.append("recording")
    }

    public func channelManager(
        _: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {}

    public func channelManager(_: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    public func channelManager(_: PTChannelManager, didActivate session: AVAudioSession) {
        log.append(
            "\(Int(session.sampleRate)) \(session.currentRoute.outputs.contains { $0.portType == .carAudio })"
        )
    }

    public func channelManager(_: PTChannelManager, didDeactivate session: AVAudioSession) {
        try? session.setActive(false)
    }

    public func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }

    public func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping @Sendable () -> Void
    ) {
        updates.append(pushPayload["roster"] as? String ?? "nothing")
        DispatchQueue.global().async(execute: completion)
    }

    public func channelDescriptor(restoredChannelUUID: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Handset", image: nil)
    }
}

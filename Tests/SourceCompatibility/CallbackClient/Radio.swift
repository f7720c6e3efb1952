// An application in the style of 2022: callbacks, Swift 5, no actors. Compiles unchanged on iOS.
import Foundation
import PushToTalk

#if canImport(UIKit)
    import UIKit
#endif
#if canImport(AVFAudio)
    import AVFAudio
#endif

public class Radio: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate {
    public var channelManager: PTChannelManager?
    public var channelUUID = UUID()
    var token = Data()
    var isRecording = false
    public private(set) var updates: [String] = []

    public func setUp() {
        PTChannelManager.channelManager(delegate: self, restorationDelegate: self) { manager, error in
            if let error = error as NSError? {
                print(error.domain, error.code, error.localizedDescription)
            }
            self.channelManager = manager
            if let uuid = manager?.activeChannelUUID { self.channelUUID = uuid }
        }
    }

    public func join() {
        let image = UIImage(named: "Channel")
        let descriptor = PTChannelDescriptor(name: "Awesome Crew", image: image)
        channelManager?.requestJoinChannel(channelUUID: channelUUID, descriptor: descriptor)
    }

    public func talk() { channelManager?.requestBeginTransmitting(channelUUID: channelUUID) }
    public func quiet() { channelManager?.stopTransmitting(channelUUID: channelUUID) }
    public func leave() { channelManager?.leaveChannel(channelUUID: channelUUID) }

    public func configure() {
        channelManager?.setTransmissionMode(.halfDuplex, channelUUID: channelUUID)
        channelManager?.setServiceStatus(.ready, channelUUID: channelUUID) { error in
            print(error as Any)
        }
        channelManager?.setActiveRemoteParticipant(nil, channelUUID: channelUUID, completionHandler: nil)
        if #available(iOS 17.0, *) {
            channelManager?.setAccessoryButtonEventsEnabled(true, channelUUID: channelUUID) { _ in }
        }
        let other = PTChannelDescriptor(name: "Other Crew", image: nil)
        channelManager?.setChannelDescriptor(other, channelUUID: channelUUID) { error in
            if let error = error { print(error) }
        }
    }

    public func prepareAudio() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(
                .playAndRecord,
                mode: .default,
                policy: .default,
                options: [.defaultToSpeaker, .allowBluetooth]
            )
            try session.setAllowHapticsAndSystemSoundsDuringRecording(true)
            if session.isInputGainSettable { try session.setInputGain(0.8) }
        } catch let error as NSError where error.code == AVAudioSession.ErrorCode.isBusy.rawValue {
            print("audio is running")
        } catch {
            print(error)
        }
        guard session.isInputAvailable, !session.secondaryAudioShouldBeSilencedHint else { return }
        print(session.inputLatency + session.outputLatency + session.ioBufferDuration)
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        didJoinChannel channelUUID: UUID,
        reason: PTChannelJoinReason
    ) {
        switch reason {
        case .developerRequest: print("joined")
        case .channelRestoration: print("restored")
        @unknown default: break
        }
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        didLeaveChannel channelUUID: UUID,
        reason: PTChannelLeaveReason
    ) {
        if reason == .systemPolicy { print("not allowed any more") }
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToJoinChannel channelUUID: UUID,
        error: Error
    ) {
        let error = error as NSError
        switch error.code {
        case PTChannelError.channelLimitReached.rawValue: print("another channel is active")
        case PTChannelError.appNotForeground.rawValue: print("not in the foreground")
        default: print(error)
        }
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        failedToBeginTransmittingInChannel channelUUID: UUID,
        error: Error
    ) {
        if (error as? PTChannelError)?.code == .callActive { print("a call is active") }
        if PTChannelError.Code(rawValue: (error as NSError).code) == .transmissionInProgress { print("busy") }
    }

    public func channelManager(_ channelManager: PTChannelManager, receivedEphemeralPushToken pushToken: Data)
    {
        token = pushToken
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        print("began", source.rawValue)
    }

    public func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        print("ended", source == .handsfreeButton)
    }

    public func channelManager(_ channelManager: PTChannelManager, didActivate audioSession: AVAudioSession) {
        print(audioSession.category.rawValue, audioSession.currentRoute.inputs.map(\.portName))
        isRecording = true
    }

    public func channelManager(_ channelManager: PTChannelManager, didDeactivate audioSession: AVAudioSession)
    {
        isRecording = false
    }

    public func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult {
        guard let speaker = pushPayload["activeSpeaker"] as? String else { return .leaveChannel }
        let participant = PTParticipant(name: speaker, image: UIImage(systemName: "person"))
        return .activeRemoteParticipant(participant)
    }

    public func incomingServiceUpdatePush(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any],
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int,
        completion: @escaping () -> Void
    ) {
        updates.append(pushPayload["roster"] as? String ?? "nothing")
        completion()
    }

    public func channelDescriptor(restoredChannelUUID channelUUID: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Awesome Crew", image: nil)
    }

    public func watchInterruptions() {
        _ = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification,
            object: AVAudioSession.sharedInstance(),
            queue: nil
        ) { notification in
            guard let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
                let type = AVAudioSession.InterruptionType(rawValue: value)
            else { return }
            print(type == .began)
        }
        try? AVAudioSession.sharedInstance().setCategory(
            .playAndRecord,
            mode: .voiceChat,
            options: [.defaultToSpeaker]
        )
    }
}

import EventLoop
import Foundation
import PTTMessages
import ServiceClient

extension Attachment {
    /// The kinds of ``CoreEvent`` that have callbacks, but for those that come to this application alone.
    static let kinds = [
        "channelJoined", "channelLeft", "transmissionBegan", "transmissionEnded", "audioActivated",
        "audioDeactivated", "audioInterrupted", "audioInterruptionEnded", "participantChanged",
        "routeChanged", "audioServerLost", "audioServerReady", "pushFinished",
    ]

    func handle(_ event: CoreEvent) {
        switch event {
        case .channelJoined(let channel, let reason): deliver(view.joined(channel.channelID, reason))
        case .channelLeft(let reason, _): deliver(view.left(reason))
        case .transmissionBegan(let transmission):
            deliver(view.transmissionBegan(transmission.source, transmission.role))
        case .transmissionEnded(_, _, let source): deliver(view.transmissionEnded(source))
        case .audioActivated: deliver(view.audioActivated())
        case .audioDeactivated: deliver(view.audioDeactivated())
        case .audioInterrupted(let interruption): deliver(view.audioInterrupted(by: interruption))
        case .audioInterruptionEnded: deliver(view.audioInterruptionEnded())
        case .participantChanged(let participant):
            if participant == nil { deliver(view.participantCleared()) }
        case .routeChanged(let input, let output):
            callbackQueue.enqueue(.routeChanged(input: input, output: output))
        case .audioServerLost: updateAudioServer(isReady: false)
        case .audioServerReady: updateAudioServer(isReady: true)
        case .channelRestored(let restored, let token): channelRestored(restored, token)
        case .pushReceived(let push): received(push)
        case .pushFinished(let pushID, _, _): pushes.removeValue(forKey: pushID)?.withdraw()
        case .accessoryPressed(let origin, let role), .buttonPressed(let origin, let role):
            deliver(view.pressed(ChannelView.Button(origin: origin, role: role)))
        case .accessoryReleased(let origin, let role), .buttonReleased(let origin, let role):
            deliver(view.released(ChannelView.Button(origin: origin, role: role)))
        case .requestAnswered(let callID, let refusal): if let callID { answered(callID, refusal) }
        case .endRefused(let refusal):
            if let channelID = view.channelID {
                callbackQueue.enqueue(.failedToStop(channelID.uuid, PTChannelError(refusal)))
            }
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .transmissionRefused, .transmissionLatched,
            .timeLimitNear,
            .audioActivating, .stateSaved, .stateNotSaved, .virtualMicrophoneChanged, .callChanged,
            .recordersChanged, .microphoneChanged, .volumeChanged, .unknown:
            break  // Apple's framework has no callbacks for these.
        }
    }

    /// The application's other attachment, which had the channel, has ended, or the core has read it late.
    private func channelRestored(_ restored: ApplicationInterface.Restored, _ token: PushToken) {
        view.restored(restored.channelID, token: token)
        if restored.needsDescriptor { requestDescriptor(restored.channelID) }
    }

    /// Enqueues the callbacks, and opens and closes the audio hub at the same point of the sequence.
    func deliver(_ callbacks: [Callback]) {
        for callback in callbacks {
            switch callback {
            case .began: audio.transmissionBegan()
            case .activated: audio.activated()
            // First the frames that the core sent before.
            case .ended:
                audioSocket?.receive()
                audio.transmissionEnded()
            case .deactivated:
                audioSocket?.receive()
                audio.deactivated()
            case .token: completeCreation()
            case .joined, .left, .interruption, .pressed, .released, .routeChanged, .servicesLost,
                .servicesReset, .push, .failedToActivate, .failedToJoin, .failedToLeave, .failedToBegin,
                .failedToStop:
                break
            }
            callbackQueue.enqueue(callback)
        }
    }

    /// Reports that the media services were lost or reset; not for an audio server that appears for the first
    /// time.
    func updateAudioServer(isReady: Bool) {
        guard isReady != (isAudioServerReady ?? false) else { return }
        if isAudioServerReady != nil { callbackQueue.enqueue(isReady ? .servicesReset : .servicesLost) }
        isAudioServerReady = isReady
    }

    // MARK: Pushes

    private func received(_ push: Push) {
        guard let channelID = view.channelID, let payload = push.dictionary else {
            return finish(push, with: PushAnswer(result: .nothing), channelUUID: nil)
        }
        let channelUUID = channelID.uuid
        let delivered = DeliveredPush(push, channelUUID: channelUUID, payload: payload) {
            [weak self, weak events] answer in
            EventLoop.start { [weak self, weak events] in
                guard let self else { return }
                // A restarted core numbers its pushes from the beginning.
                guard let events, events === self.events else {
                    return failed(answer, to: push, channelUUID: channelUUID, .lost, andStop: true)
                }
                finish(push, with: answer, channelUUID: channelUUID)
            }
        }
        pushes[push.pushID] = delivered
        callbackQueue.enqueue(.push(delivered))
    }

    /// The core refuses an answer that comes after the push's time limit, and a participant who cannot be
    /// heard.
    private func finish(_ push: Push, with answer: PushAnswer, channelUUID: UUID?) {
        pushes[push.pushID] = nil
        let request = answer.request(push.pushID)
        let clearings = participantClearings
        call(ApplicationInterface.finishPush, request, ignoringLimit: true) { [weak self] refusal in
            guard let self, let refusal else { return }
            if case .participant = answer.result, participantClearings != clearings { return }
            // The core reports by an event that there was nothing to stop.
            failed(answer, to: push, channelUUID: channelUUID, refusal, andStop: false)
        }
    }

    private func failed(
        _ answer: PushAnswer,
        to push: Push,
        channelUUID: UUID?,
        _ refusal: Refusal,
        andStop: Bool
    ) {
        Diagnostics.note("push \(push.pushID.rawValue): \(refusal.reason)")
        guard let channelUUID else { return }
        let error = PTChannelError(refusal)
        if andStop, answer.endsTransmission { callbackQueue.enqueue(.failedToStop(channelUUID, error)) }
        if let callback = answer.failed(channelUUID, error) { callbackQueue.enqueue(callback) }
    }

    /// The core that waited for the answers is lost.
    func withdrawPushes() {
        for push in pushes.values { push.withdraw() }
        pushes = [:]
    }
}

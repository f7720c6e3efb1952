import EventLoop
import Foundation
import PTTMessages
import ServiceClient

extension Attachment {
    /// What the core tells, with the time at which it happened.
    func handle(_ event: CoreEvent, at time: MonotonicTime) {
        switch event {
        case .channelJoined(let channel, let reason): deliver(view.joined(channel.channelID, reason))
        case .channelLeft(let reason, _): deliver(view.left(reason), at: time)
        case .transmissionBegan(let transmission): deliver(view.transmissionBegan(transmission.source))
        case .transmissionEnded(_, _, let source): deliver(view.transmissionEnded(source), at: time)
        case .audioActivated: deliver(view.audioActivated())
        case .audioDeactivated: deliver(view.audioDeactivated(), at: time)
        case .audioInterrupted: deliver(view.audioInterrupted())
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
        case .accessoryPressed(let origin): deliver(view.accessoryPressed(origin))
        case .accessoryReleased(let origin): deliver(view.accessoryReleased(origin))
        case .requestAnswered(let callID, let refusal): if let callID { answered(callID, refusal) }
        case .endRefused(let refusal):
            if let channelID = view.channelID {
                callbackQueue.enqueue(.failedToStop(channelID.uuid, PTChannelError(refusal)))
            }
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .transmissionRefused, .timeLimitNear,
            .audioActivating, .stateSaved, .stateNotSaved, .unknown:
            break  // Of these Apple's framework tells nothing.
        }
    }

    /// The attachment that had the channel has gone.
    private func channelRestored(_ restored: ApplicationInterface.Restored, _ token: PushToken) {
        view.restored(restored.channelID, token: token)
        if restored.needsDescriptor { askForDescriptor(restored.channelID) }
    }

    /// Tells the application, and opens and closes what its sound passes through in the same place. Without a time nothing
    /// that was captured counts any more: the core is lost.
    func deliver(_ callbacks: [Callback], at time: MonotonicTime? = nil) {
        for callback in callbacks {
            switch callback {
            case .began: audio.transmissionBegan()
            case .activated: audio.activated()
            case .ended:
                receiveRest()
                audio.transmissionEnded(at: time)
            case .deactivated:
                receiveRest()
                audio.deactivated(at: time)
            case .token: completeCreation()
            case .joined, .left, .interruption, .pressed, .released, .routeChanged, .servicesLost,
                .servicesReset, .push, .failedToActivate, .failedToJoin, .failedToLeave, .failedToBegin,
                .failedToStop, .perform:
                break
            }
            callbackQueue.enqueue(callback)
        }
    }

    /// An audio server that is there for the first time has lost nothing.
    func updateAudioServer(isReady: Bool) {
        switch (audioServer, isReady) {
        case (.ready, false):
            audioServer = .lost
            callbackQueue.enqueue(.servicesLost)
        case (.lost, true):
            audioServer = .ready
            callbackQueue.enqueue(.servicesReset)
        case (.unknown, true):
            audioServer = .ready
        case (.unknown, false), (.ready, true), (.lost, false):
            break
        }
    }

    // MARK: Pushes

    private func received(_ push: Push) {
        guard let channelID = view.channelID, let payload = Payload.dictionary(push.payload) else {
            return finish(push, nil, PushAnswer(result: .nothing))
        }
        let channelUUID = channelID.uuid
        let delivered = DeliveredPush(push, channelUUID, payload) { [weak self, weak events] answer in
            EventLoop.start { [weak self, weak events] in
                guard let self else { return }
                // Another core gives the same numbers to other pushes.
                guard let events, events === self.events else {
                    return self.failed(push, channelUUID, answer, .lost, andStop: true)
                }
                finish(push, channelUUID, answer)
            }
        }
        pushes[push.pushID] = delivered
        callbackQueue.enqueue(.push(delivered))
    }

    /// The core gives up a push after some seconds, and says so of an answer that comes later.
    private func finish(_ push: Push, _ channelUUID: UUID?, _ answer: PushAnswer) {
        pushes[push.pushID] = nil
        let request = answer.request(push.pushID)
        call(ApplicationInterface.finishPush, request, isEnd: true) { [weak self] refusal in
            guard let refusal else {
                if case .participant(let participant) = answer.result { self?.view.awaits(participant) }
                return
            }
            // The core tells by itself that there was nothing to stop.
            self?.failed(push, channelUUID, answer, refusal, andStop: false)
        }
    }

    private func failed(
        _ push: Push,
        _ channelUUID: UUID?,
        _ answer: PushAnswer,
        _ refusal: Refusal,
        andStop: Bool
    ) {
        Diagnostics.note("push \(push.pushID.rawValue): \(refusal.reason)")
        guard let channelUUID else { return }
        let error = PTChannelError(refusal)
        if andStop, answer.endsTransmission { callbackQueue.enqueue(.failedToStop(channelUUID, error)) }
        if let callback = answer.failed(channelUUID, error) { callbackQueue.enqueue(callback) }
    }

    /// Nobody waits for what was not answered.
    func withdrawPushes() {
        for push in pushes.values { push.withdraw() }
        pushes = [:]
    }
}

/// Lines for whoever develops the application.
enum Diagnostics {
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("PushToTalk: \(text)\n".utf8))
    }
}

extension MonotonicTime {
    /// As ``microseconds`` stands on the socket.
    init(microseconds: Int) {
        let (nanoseconds, isOutside) = Int64(microseconds).multipliedReportingOverflow(by: 1000)
        self.init(nanoseconds: isOutside ? .max : nanoseconds)
    }
}

internal import CoreLink
internal import EventLoop
internal import Foundation
internal import PTTMessages

/// What of the channel the application was told so far.
struct ChannelView {
    var channelID: ChannelID?
    /// The channel that the core gives back, before it is told as joined.
    var restoredID: ChannelID?
    /// The next channel that is told as joined is this application's.
    var awaitsJoin = false
    var afterJoin: (@EventLoop () -> Void)?
    var isTransmitting = false
    var isActive = false
}

extension Session {
    func take(_ event: CoreEvent) {
        switch event {
        case .channelJoined(let channel, let reason): joined(channel, reason)
        case .channelLeft(let reason, _):
            if let channelID = view.channelID { left(channelID, reason) }
        case .transmissionBegan(let transmission): began(transmission)
        case .transmissionEnded(_, _, let source): ended(source)
        case .audioActivated: activated()
        case .audioDeactivated: deactivated()
        case .audioInterrupted: if view.channelID != nil { outbox.deliver(.interruption(began: true)) }
        case .audioInterruptionEnded:
            if view.channelID != nil { outbox.deliver(.interruption(began: false)) }
        case .routeChanged(let input, let output):
            outbox.deliver(.routeChanged(input: input, output: output))
        case .audioServerLost: outbox.deliver(.servicesLost)
        case .audioServerReady: outbox.deliver(.servicesReset)
        case .pushReceived(let push): received(push)
        case .requestAnswered(let refusal): answered(refusal)
        case .endRefused(let refusal):
            if let channelID = view.channelID {
                outbox.deliver(.failedToStop(channelID.uuid, PTChannelError(refusal)))
            }
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .transmissionRefused,
            .timeLimitNear, .audioActivating, .pushFinished, .stateSaved, .stateNotSaved, .accessoryPressed,
            .accessoryReleased, .unknown:
            break  // Of these Apple's framework tells nothing.
        }
    }

    private func joined(_ channel: Channel, _ reason: JoinReason) {
        guard view.awaitsJoin else { return }
        view.awaitsJoin = false
        view.channelID = channel.channelID
        outbox.deliver(.joined(channel.channelID.uuid, PTChannelJoinReason(reason)))
        let afterJoin = view.afterJoin
        view.afterJoin = nil
        afterJoin?()
    }

    func left(_ channelID: ChannelID, _ reason: LeaveReason) {
        endLocally()
        view.channelID = nil
        outbox.deliver(.left(channelID.uuid, PTChannelLeaveReason(reason)))
    }

    private func began(_ transmission: Transmission) {
        guard let channelID = view.channelID, !view.isTransmitting else { return }
        view.isTransmitting = true
        let source = PTChannelTransmitRequestSource(transmission.source)
        outbox.deliver(.began(channelID.uuid, source))
    }

    private func ended(_ source: TransmitSource) {
        guard let channelID = view.channelID, view.isTransmitting else { return }
        view.isTransmitting = false
        outbox.deliver(.ended(channelID.uuid, PTChannelTransmitRequestSource(source)))
    }

    private func activated() {
        guard view.channelID != nil, !view.isActive else { return }
        view.isActive = true
        audio.activated()
        outbox.deliver(.activated)
    }

    private func deactivated() {
        guard view.isActive else { return }
        view.isActive = false
        receiveRest()
        audio.deactivated()
        outbox.deliver(.deactivated)
    }

    /// What the core would tell if it could: it is lost, and with it every transmission and the audio session.
    func endLocally() {
        ended(.unknown)
        deactivated()
    }

    private func received(_ push: Push) {
        // A push may wake the application before its channel is told as restored.
        guard let channelID = view.channelID ?? view.restoredID,
            let payload = Payload.dictionary(push.payload)
        else { return finish(push, .init(pushID: push.pushID, result: .unknown)) }
        let delivered = DeliveredPush(push: push, channelUUID: channelID.uuid, payload: payload) {
            [weak self] answer in
            EventLoop.start { [weak self] in self?.finish(push, answer) }
        }
        outbox.deliver(.push(delivered))
    }

    private func finish(_ push: Push, _ answer: ApplicationInterface.FinishPushRequest) {
        call {
            $0.finishPush(answer, then: $1)
        } completion: { refusal in
            guard let refusal else { return }
            Diagnostics.note("push \(push.pushID.rawValue): \(refusal.reason)")
        }
    }
}

/// A push's payload as an application gets it.
enum Payload {
    static func dictionary(_ text: String) -> [String: Any]? {
        // The core has checked that it is an object; nil ends this push, not the application.
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}

/// Lines for whoever develops the application.
enum Diagnostics {
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("PushToTalk: \(text)\n".utf8))
    }
}

extension ChannelID {
    init(_ uuid: UUID) {
        guard let channelID = ChannelID(uuid.uuidString) else {
            preconditionFailure("Foundation writes a UUID in the form of RFC 4122, which is what is read")
        }
        self = channelID
    }

    var uuid: UUID {
        guard let uuid = UUID(uuidString: text) else {
            preconditionFailure("A channel identifier is the text of a UUID by its own check")
        }
        return uuid
    }
}

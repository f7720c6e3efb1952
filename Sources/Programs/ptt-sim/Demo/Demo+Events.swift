import EventLoop
import PTTMessages
import ServiceClient

// What the acts wait for, and what the timeline has, as the daemons, the speaker and the person report it.
extension Demo {
    func typed(_ input: Console.Input) {
        switch input {
        case .key(" "): saw(.space)
        case .key("q"), .end: fail("ended before the button was released")
        case .key, .line: break
        }
    }

    /// - Returns: True if both daemons listen.
    func connect() -> Bool {
        do throws(ServiceError) {
            let core = try ServiceConnection.core()
            let accessoryd = try ServiceConnection.accessory()
            connections = [core, accessoryd]
            let lost: @EventLoop (ServiceError) -> Void = { [weak self] in self?.fail("\($0)") }
            core.subscribe({ [weak self] in self?.coreUpdated($0) }, ended: lost)
            accessoryd.follow(
                AccessoryInterface.subscribe,
                { [weak self] in self?.accessorydUpdated($0) },
                ended: lost
            )
            return true
        } catch {
            return false
        }
    }

    private func coreUpdated(_ update: ChannelInterface.Update) {
        if update.status?.isAudioServerReady == true { saw(.sound) }
        if update.status?.channel?.application != nil { saw(.application) }
        guard let event = update.event else { return }
        let time = Int64(update.time)
        if case .transmissionBegan = event {
            isTransmitting = true
            timeline.note("transmission began", at: time)
        }
        if case .transmissionEnded(_, let cause, _) = event {
            isTransmitting = false
            timeline.note("transmission ended: \(cause.rawValue)", at: time)
        }
        if case .participantChanged(let participant) = event {
            isEchoPlaying = participant != nil
            timeline.note(participant.map { "\($0.name) talks" } ?? "the echo has ended", at: time)
            if isEchoPlaying { saw(.echo) }
        }
        if case .audioActivated = event { audioActivated(at: time) }
        if case .audioDeactivated = event { audioDeactivated(at: time) }
        if case .audioServerReady = event { saw(.sound) }
        if case .channelJoined = event { saw(.application) }
        if case .transmissionRefused(_, let refusal) = event { fail(refusal.reason) }
        if case .channelLeft(_, let explanation) = event {
            if isSecondAct { saw(.channelLeft) } else { fail(explanation ?? "the channel was left") }
        }
        if isSecondAct { return recordersChanged(event, at: time) }
        if case .audioInterrupted(let cause) = event { fail("audio was interrupted: \(cause.rawValue)") }
        if case .applicationDetached = event { fail("ptt-echo has ended") }
    }

    private func recordersChanged(_ event: CoreEvent, at time: Int64) {
        guard case .virtualMicrophoneChanged(.recorded(let applications)) = event, !seen.contains(.recorder)
        else { return }
        timeline.note("\(applications.joined(separator: ", ")) records, and hears silence", at: time)
        saw(.recorder)
    }

    private func audioActivated(at time: Int64) {
        guard isTransmitting else { return timeline.note("speaker open", at: time) }
        timeline.note("microphone open: first sound captured", at: time)
        saw(.microphoneOpen)
    }

    private func audioDeactivated(at time: Int64) {
        if isSecondAct {
            timeline.note("microphone closed: silence again", at: time)
            saw(.microphoneClosed)
        } else if isEchoPlaying {
            fail("the speaker closed in the middle of the echo")
        } else if seen.contains(.echo) {
            timeline.note("speaker closed", at: time)
            saw(.speakerClosed)
        } else {
            timeline.note("microphone closed", at: time)
        }
    }

    private func accessorydUpdated(_ update: AccessoryInterface.Update) {
        let devices = (update.devices ?? []) + [update.event?.device].compactMap(\.self)
        if devices.contains(where: { $0.link == .ready }) { saw(.button) }
        let time = Int64(update.time)
        if update.event?.kind == .pressed { timeline.note("ptt-accessoryd saw the press", at: time) }
        if update.event?.kind == .released { timeline.note("ptt-accessoryd saw the release", at: time) }
    }
}

import Foundation
import MumbleCore
import PushToTalk

// What is said and heard.
extension Radio {
    /// From the capture of a frame until it is here.
    private static let longestDelay = DispatchTimeInterval.milliseconds(40)

    // MARK: We

    /// Sends what is said until the audio session ends, and then that it was the last.
    func record(from microphone: PTTMicrophone) {
        recording = MainQueue.start { [weak self] in
            for await frame in microphone {
                guard let self else { return }
                say(frame.samples, isLast: false)
            }
            // Otherwise another transmission has begun in the same session.
            guard !Task.isCancelled else { return }
            self?.sayLast()
        }
    }

    private func sayLast() {
        recording = nil
        say([Int16](repeating: 0, count: VoiceEncoder.sampleCount), isLast: true)
    }

    /// In full duplex the audio session, and with it the microphone's sequence, goes on for whoever is heard.
    private func endRecording() {
        guard let recording else { return }
        _ = MainQueue.start { [weak self] in
            // What was captured last may not be here yet.
            var before: UInt64?
            while let self, self.recording == recording, before != number {
                before = number
                await MainQueue.pause(for: Self.longestDelay)
            }
            guard let self, self.recording == recording else { return }
            recording.cancel()
            sayLast()
        }
    }

    private func say(_ samples: [Int16], isLast: Bool) {
        // Who has given way, or whose sentence has a hole, says no more of it.
        guard !isSilenced, let opus = encoder.encode(samples, bitrate: session.bitrate) else { return }
        let packet = VoicePacket(number: number, opus: opus, isLast: isLast)
        // 20 milliseconds.
        number += 2
        if session.hasFloor { floor.sent(now) }
        perform(session.say(packet, now))
    }

    func transmissionBegan() {
        isTransmitting = true
        isSilenced = false
        encoder.reset()
        if !floor.isFullDuplex {
            playback.stop()
            // An emergency takes the floor of whoever is shown. Who still talks after it is shown again.
            if floor.shown != nil { clearParticipant() }
        }
        floor.transmissionBegan()
        let isEmergency = manager?.pttTransmissionRole == .emergency
        perform(session.transmissionBegan(isEmergency: isEmergency, now))
        recording?.cancel()
        // An emergency takes the session of whoever is heard, which is not activated again.
        if isAudioActive { record(from: AVAudioSession.sharedInstance().ptt.microphone) }
    }

    func transmissionEnded() {
        isTransmitting = false
        perform(floor.transmissionEnded())
        perform(session.transmissionEnded())
        if floor.isFullDuplex { endRecording() }
        settleMode()
    }

    /// Ends our transmission, of which nothing more is sent.
    ///
    /// - Parameter isFloorTaken: True if somebody else has the floor: the person hears the busy tone then.
    func stop(isFloorTaken: Bool = false) {
        isSilenced = true
        session.withdraw()
        guard isTransmitting else { return }
        if isFloorTaken {
            manager?.pttYieldFloor(channelUUID: channelUUID)
        } else {
            manager?.stopTransmitting(channelUUID: channelUUID)
        }
    }

    /// Somebody is heard who goes first.
    func giveWay(_ session: UInt32) {
        let isEmergency = self.session.isEmergency(session)
        let reason = self.session.hasFloor ? "began at the same time and goes first" : "has the floor"
        note("\(name(session)) \(isEmergency ? "has an emergency and goes first" : reason)", about: .floor)
        stop(isFloorTaken: true)
    }

    /// Somebody else has been granted the floor.
    func denied(_ session: UInt32) {
        note("\(name(session)) has the floor", about: .floor)
        floor.deny()
        stop(isFloorTaken: true)
    }

    // MARK: Others

    func name(_ session: UInt32) -> String { self.session.name(of: session) ?? "somebody" }

    private func sender(_ session: UInt32) -> Floor.Sender {
        Floor.Sender(
            session: session,
            isOurs: self.session.isOurs(session),
            isEmergency: self.session.isEmergency(session)
        )
    }

    func heard(_ packet: VoicePacket) {
        guard let session = packet.session else { return }
        let own = self.session.session.map {
            Floor.Sender(session: $0, isOurs: true, isEmergency: self.session.isEmergency($0))
        }
        let effects = floor.heard(
            sender(session),
            isLast: packet.isLast,
            rival: sender,
            own: own,
            now
        )
        perform(effects, packet)
    }

    /// Shows and plays this person.
    func taken(_ session: UInt32) {
        note("\(name(session)) talks", about: .talker)
        playback.prepare()
        playback.release(session)
        manager?.setActiveRemoteParticipant(participant(session), channelUUID: channelUUID) {
            [weak self] error in
            // On the callback queue, which is the main one.
            MainActor.assumeIsolated { self?.participantSet(error) }
        }
        perform(self.session.wantPicture(of: session))
    }

    /// If it fails, what is said is not heard; the floor is taken nevertheless.
    private func participantSet(_ error: (any Error)?) {
        guard floor.shown != nil else { return }
        if let error {
            note("not heard: \((error as? PTChannelError)?.pttReason ?? "\(error)")", about: .talker)
            playback.stop()
            return perform(floor.unheard())
        }
        hasParticipant = true
        listen()
    }

    /// Both have to be there, or what is played is lost: the audio session may be that of somebody before.
    func listen() {
        if hasParticipant, isAudioActive { playback.open(AVAudioSession.sharedInstance().ptt.speaker) }
    }

    private func clearParticipant() {
        hasParticipant = false
        // It fails if the participant could not be set before, which was said then.
        manager?.setActiveRemoteParticipant(nil, channelUUID: channelUUID)
    }

    private func participant(_ session: UInt32) -> PTParticipant {
        let picture = self.session.picture(of: session).flatMap { UIImage(data: Data($0)) }
        return PTParticipant(name: self.session.shownName(of: session), image: picture)
    }

    func emergency(_ session: UInt32) {
        let text = self.session.isEmergency(session) ? "an emergency" : "its end"
        note("\(name(session)): \(text)", about: .emergency)
        showAgain(session)
    }

    /// Somebody has a picture, or an emergency: it is shown if that is who is shown.
    func showAgain(_ session: UInt32) {
        guard floor.shown == session else { return }
        manager?.setActiveRemoteParticipant(participant(session), channelUUID: channelUUID)
    }

    func idle() {
        note("nobody talks any more", about: .talker)
        playback.stop()
        clearParticipant()
    }

    // MARK: The channel

    func entered(_ channel: String) {
        note("in \(channel.isEmpty ? "the root channel" : channel) of \(address.server)", about: .channel)
        // An operator of the server may have moved us: people are to see where they talk.
        let descriptor = PTChannelDescriptor(name: channel.isEmpty ? address.host : channel, image: nil)
        ifJoined { $0.setChannelDescriptor(descriptor, channelUUID: self.channelUUID) }
    }

    /// A transmission keeps the rule that it began with.
    func set(_ rule: FloorRule) {
        if rule != self.rule { note(rule.text, about: .channel) }
        self.rule = rule
        settleMode()
    }

    func settleMode() {
        let isFullDuplex = rule == .fullDuplex
        if !isTransmitting, floor.isFullDuplex != isFullDuplex { perform(floor.setFullDuplex(isFullDuplex)) }
        ifJoined { $0.setTransmissionMode(self.mode, channelUUID: self.channelUUID) }
    }

    private var mode: PTTransmissionMode {
        guard mayTalk else { return .listenOnly }
        return floor.isFullDuplex ? .fullDuplex : .halfDuplex
    }

    func set(_ status: ServerSession.Status) {
        self.status =
            switch status {
            case .ready: .ready
            case .connecting: .connecting
            }
        settle()
    }

    /// Shows people where they will talk, before the server says where that is. What is restored has the name
    /// of what was talked to before.
    func show() {
        ifJoined { $0.setChannelDescriptor(self.descriptor, channelUUID: self.channelUUID) }
        settle()
    }

    /// Tells the system what it has to know after each join and restoration, too.
    func settle() {
        ifJoined {
            $0.setServiceStatus(self.status, channelUUID: self.channelUUID)
            $0.setTransmissionMode(self.mode, channelUUID: self.channelUUID)
        }
    }

    private func ifJoined(_ body: (PTChannelManager) -> Void) {
        if isJoined, let manager { body(manager) }
    }
}

import PTTCore
import PTTMessages

/// Semantics, “Tones”: one tone for each cause, and none that the other end hears.
extension Model {
    /// True if a tone reaches the person at this machine and no microphone.
    var isAudible: Bool {
        transmission == nil && hasAudioServer && standstill == nil
    }

    /// Semantics, “A participant talks in full duplex”: no talk permit, as the microphone is not kept from
    /// the speaker.
    mutating func announceMicrophone() {
        isLive = true
        if channel?.mode == .fullDuplex, recording == nil { return }
        tones.append("talkPermit")
        gateLimit = now + .seconds(2)
    }

    mutating func gateOpened(_ capture: Int) {
        if isSending, isLive, capture == counts.transmissions { gateLimit = nil }
    }

    mutating func checkGate() {
        if let limit = gateLimit, now >= limit { gateLimit = nil }
    }

    /// Semantics, “Latch”: only the connection and the button that hold the transmission keep it on; of a
    /// recording only the button counts, by the identifier of its device.
    mutating func latch(_ client: ClientID, _ report: ChannelInterface.LatchReport) -> String {
        let isLastResort = channel == nil && report.channelID == nil && attachments[client] == nil
        if !isLastResort, let refusal = noAccess(client, report.channelID) { return refusal }
        guard let transmission, transmission.released == nil else { return "noTransmission" }
        let isOfTheDevice =
            transmission.isRecording
            ? report.origin.identifier == transmission.origin.identifier
            : report.origin == transmission.origin && client == transmission.client
        guard isOfTheDevice && report.role == transmission.role else { return "notHeld" }
        guard !transmission.isLatched else { return "done" }
        self.transmission?.isLatched = true
        self.transmission?.owesLatchTone = true
        notifications.append(.kind("transmissionLatched"))
        return "done"
    }

    /// Semantics, “Latch”: after the talk permit, and in full duplex too.
    mutating func playLatch() {
        guard transmission?.owesLatchTone == true, isLive, gateLimit == nil else { return }
        transmission?.owesLatchTone = false
        tones.append("latched")
    }

    mutating func playRefusal(_ source: TransmitSource, isBusy: Bool) {
        if source != .developerRequest, isAudible { tones.append(isBusy ? "busy" : "denied") }
    }

    mutating func playEnd(_ cause: EndCause) {
        switch cause {
        case .timeLimit: tones.append("timeLimitReached")
        case .linkLost, .deviceRemoved: tones.append("accessoryLost")
        case .microphoneLost, .noMicrophone, .microphoneMuted, .applicationUnavailable: tones.append("denied")
        case .floorTaken: tones.append("busy")
        case .preempted, .audioServerLost, .suspended, .sessionInactive, .shuttingDown: break
        // Semantics, “A short press”: a press that was too short for the talk permit has no end either.
        default: if isLive { tones.append("end") }
        }
        (isLive, gateLimit) = (false, nil)
    }
}

import PulseAudio

extension AudioDevices {
    /// The Bluetooth headset that plays by default.
    var headset: AudioCard? {
        guard let sink = sinks.first(where: { $0.name == defaultSink }) else { return nil }
        return cards.first { $0.isBluetooth && $0.index == sink.card }
    }

    /// Returns true if the profile of a card was or is being changed: it has another one, or no sink, and is
    /// neither gone nor switched off.
    func isBeingChanged(_ before: AudioCard) -> Bool {
        let card = cards.first { $0.name == before.name && $0.activeProfile != AudioCard.off }
        guard let card else { return false }
        return card.activeProfile != before.activeProfile || !sinks.contains { $0.card == card.index }
    }

    /// Returns true if WirePlumber 0.5 changes the profile by itself.
    func hasLoopback(_ card: AudioCard) -> Bool {
        sources.contains { $0.isHeadsetLoopback && $0.card == card.index }
    }

    /// The microphone of a headset. PulseAudio and WirePlumber 0.4 have it only in some of its profiles; that
    /// of WirePlumber 0.5 is always there, and delivers zeros in the others.
    func source(of card: AudioCard) -> String? {
        sources.first { !$0.isMonitor && !$0.isOwn && $0.card == card.index }?.name
    }
}

extension AudioCard {
    /// The profile of a card that is not used, by the same name on both servers.
    static let off = "off"

    /// The best one with the microphone. Others with a microphone, `headset-audio-gateway` for example, are
    /// those of a telephone that uses this machine as its headset.
    var headsetProfile: AudioCard.Profile? {
        let names = ["headset-head-unit", "headset_head_unit", "handsfree_head_unit"]
        let candidates = profiles.filter { profile in
            profile.hasMicrophone && profile.isAvailable
                && names.contains { profile.name.utf8.starts(with: $0.utf8) }
        }
        return candidates.max { $0.priority < $1.priority }
    }
}

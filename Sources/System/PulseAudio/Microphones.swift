/// The choice of the sources that are microphones.
///
/// Without a microphone, the default source of both servers is the monitor of a sink, or a software source
/// that records from one: capturing from "the default source" would then transmit what the speaker plays.
extension AudioDevices {
    /// The server's name for the default source, which may be a monitor; as a preference it is
    /// ``microphone``.
    static let wildcard = "@DEFAULT_SOURCE@"

    /// The user's microphone: the default source if it is a microphone, otherwise the one that was it before,
    /// otherwise another one, preferably hardware with something plugged in. Nil if there is none.
    var microphone: AudioDevice? {
        let candidates =
            sources.filter { $0.name == defaultSource }
            + sources.filter { $0.name == previousDefaultSource }
            + sources.filter { $0.isHardware && !$0.isUnplugged }
            + sources.filter { !$0.isHardware && !$0.isUnplugged }
            + sources.filter(\.isUnplugged)
        return candidates.first { !isDeafHeadset($0) && isMicrophone($0) }
    }

    /// Returns true if it belongs to a headset whose profile has no microphone now: one that is not chosen by
    /// name is left so.
    private func isDeafHeadset(_ source: AudioDevice) -> Bool {
        source.isHeadsetLoopback && cards.first { $0.index == source.card }?.active?.hasMicrophone == false
    }

    /// The first preferred source that is present, and plugged in if any of them is; without preferences
    /// ``microphone``. A monitor can be preferred, but nothing that plays this program's own sound.
    ///
    /// - Parameter names: Names or descriptions.
    /// - Returns: The source, or why there is none.
    package func microphone(preferring names: [String]) -> Result<AudioDevice, AudioError> {
        if names.isEmpty { return anyMicrophone }
        let present = names.flatMap { name in
            if name == Self.wildcard { return [microphone].compactMap(\.self) }
            return sources.filter { $0.name == name }
                + sources.filter { $0.name != name && $0.description == name }
        }
        let usable = present.filter { !isOwnSound($0) }
        if let source = usable.first(where: { !$0.isUnplugged }) ?? usable.first { return .success(source) }
        let action = StreamHandle.action(.capture, names.joined(separator: "”, “"))
        guard let own = present.first else {
            let reason =
                "the audio server has no such source (`pactl list sources` shows names and descriptions)"
            return .failure(AudioError(action, reason: reason, kind: .noDevice))
        }
        let reason = "“\(own.name)” is what this program itself plays, not a microphone"
        return .failure(AudioError(action, reason: reason, kind: .noDevice))
    }

    private var anyMicrophone: Result<AudioDevice, AudioError> {
        if let microphone { return .success(microphone) }
        let monitors = sources.filter { !isOwnSound($0) }.map(\.name).joined(separator: ", ")
        let reason =
            if sources.isEmpty {
                "the audio server has none"
            } else if let headset = sources.first(where: isDeafHeadset) {
                "“\(headset.description)” has none in its profile for music"
            } else if monitors.isEmpty {
                "the audio server has only those of this program"
            } else {
                "the audio server has only monitors of speakers (\(monitors))"
            }
        return .failure(AudioError(StreamHandle.action(.capture, nil), reason: reason, kind: .noDevice))
    }
}

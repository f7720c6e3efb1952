/// Which sources are microphones.
///
/// Without a microphone both servers make the monitor of a sink the default source, or a software source that records
/// from such a monitor: whoever captures from "the default source" then sends what the loudspeaker plays.
extension AudioDevices {
    /// The user's microphone: the default source if it is a microphone, and otherwise another one, a device with
    /// something plugged in before others. Nil if there is none.
    package var microphone: AudioDevice? {
        var seen: Set<UInt32> = []
        let candidates =
            sources.filter { $0.name == defaultSource }
            + sources.filter { $0.isHardware && !$0.isUnplugged }
            + sources.filter { !$0.isHardware && !$0.isUnplugged }
            + sources.filter(\.isUnplugged)
        return candidates.first { isMicrophone($0, &seen) }
    }

    /// Whether a source hears the world outside: no monitor of a sink, none of this program's own, and no software that
    /// records from nothing but such sources.
    package func isMicrophone(_ source: AudioDevice) -> Bool {
        var seen: Set<UInt32> = []
        return isMicrophone(source, &seen)
    }

    /// Looks at each source once, because software can record in a circle: those in `seen` are no microphones.
    private func isMicrophone(_ source: AudioDevice, _ seen: inout Set<UInt32>) -> Bool {
        guard !source.isMonitor, !source.isOwn, seen.insert(source.index).inserted else { return false }
        let feeds = feeds.filter { $0.maker.isSame(as: source.maker) }
        if feeds.isEmpty { return true }
        for feed in feeds {
            if let origin = sources.first(where: { $0.index == feed.source }), isMicrophone(origin, &seen) {
                return true
            }
        }
        return false
    }
}

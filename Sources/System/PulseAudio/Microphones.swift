/// Which sources are microphones.
///
/// Without a microphone, the default source of both servers is the monitor of a sink, or a software source that records
/// from one: capturing from "the default source" would then transmit what the speaker plays.
extension AudioDevices {
    /// The user's microphone: the default source if it is a microphone, otherwise another one, preferably hardware with
    /// something plugged in. Nil if there is none.
    var microphone: AudioDevice? {
        var visited: Set<UInt32> = []
        let candidates =
            sources.filter { $0.name == defaultSource }
            + sources.filter { $0.isHardware && !$0.isUnplugged }
            + sources.filter { !$0.isHardware && !$0.isUnplugged }
            + sources.filter(\.isUnplugged)
        return candidates.first { isMicrophone($0, &visited) }
    }

    /// Whether a source captures real sound: it is neither a monitor of a sink, nor one of this program's own devices, nor
    /// software that records only from such sources.
    package func isMicrophone(_ source: AudioDevice) -> Bool {
        var visited: Set<UInt32> = []
        return isMicrophone(source, &visited)
    }

    /// Visits each source once, because software sources can form a cycle: those in `visited` are not microphones.
    private func isMicrophone(_ source: AudioDevice, _ visited: inout Set<UInt32>) -> Bool {
        guard !source.isMonitor, !isOwnSound(source), visited.insert(source.index).inserted else {
            return false
        }
        let outputs = sourceOutputs.filter { $0.owner.isSame(as: source.owner) }
        if outputs.isEmpty { return true }
        for output in outputs {
            let origin = sources.first { $0.index == output.device }
            if let origin, isMicrophone(origin, &visited) { return true }
        }
        return false
    }
}

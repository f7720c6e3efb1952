extension AudioDevices {
    /// Returns true if a source delivers what this program plays and no microphone, as the own source does,
    /// and software that records only from it.
    package func deliversOnlyOwnSound(_ source: AudioDevice) -> Bool {
        isOwnSound(source) && !origins(of: source).contains(where: isMicrophone)
    }

    /// Returns true if a source delivers what this program plays: its own source, what feeds it, and software
    /// that records from any of them. As a microphone it would be a loop.
    func isOwnSound(_ source: AudioDevice) -> Bool {
        var visited: Set<UInt32> = []
        return isOwnSound(source, &visited)
    }

    private func isOwnSound(_ source: AudioDevice, _ visited: inout Set<UInt32>) -> Bool {
        guard visited.insert(source.index).inserted else { return false }
        if source.isOwn || isFeed(source) { return true }
        for output in sourceOutputs where output.owner.isSame(as: source.owner) {
            let origin = sources.first { $0.index == output.device }
            if let origin, isOwnSound(origin, &visited) { return true }
        }
        return false
    }

    /// The monitor of an own sink, or of one that an own source records from, on PulseAudio.
    private func isFeed(_ source: AudioDevice) -> Bool {
        guard source.isMonitor else { return false }
        if sinks.contains(where: { $0.isOwn && $0.monitor == source.index }) { return true }
        return sourceOutputs.contains { output in
            output.device == source.index && output.client == nil
                && sources.contains { $0.isOwn && !$0.isMonitor && $0.owner.isSame(as: output.owner) }
        }
    }
}

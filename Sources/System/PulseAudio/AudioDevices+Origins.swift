/// The origins of a source: software that acts as one delivers what it records, however indirectly.
extension AudioDevices {
    /// The microphones whose sound a source delivers: itself or, for software, those that it records from.
    /// Monitors are none.
    package func origins(of source: AudioDevice) -> [AudioDevice] {
        chain(of: source, pastMonitors: false).filter { outputs(of: $0).isEmpty }
    }

    /// The streams by which software acts as a source: it delivers what they record.
    func outputs(of source: AudioDevice) -> [AudioStream] {
        sourceOutputs.filter { $0.owner.isSame(as: source.owner) }
    }

    /// The source and those that it records from, each once, because software sources can form a cycle.
    private func chain(of source: AudioDevice, pastMonitors: Bool) -> [AudioDevice] {
        var found: [AudioDevice] = []
        var visited: Set<UInt32> = []
        func visit(_ source: AudioDevice) {
            guard pastMonitors || !source.isMonitor, visited.insert(source.index).inserted else { return }
            found.append(source)
            for output in outputs(of: source) {
                if let origin = sources.first(where: { $0.index == output.device }) { visit(origin) }
            }
        }
        visit(source)
        return found
    }

    /// Returns true if a source captures real sound: it is neither a monitor of a sink, nor one of this
    /// program's own devices, nor software that records only from such sources, or among others from this
    /// program's own.
    package func isMicrophone(_ source: AudioDevice) -> Bool {
        !origins(of: source).isEmpty && !isOwnSound(source)
    }

    /// Returns true if a source delivers what this program plays and no microphone, as the own source does,
    /// and software that records only from it.
    package func deliversOnlyOwnSound(_ source: AudioDevice) -> Bool {
        isOwnSound(source) && !origins(of: source).contains(where: isMicrophone)
    }

    /// Returns true if a source delivers what this program plays: its own source, what feeds it, and software
    /// that records from any of them. As a microphone it would be a loop.
    func isOwnSound(_ source: AudioDevice) -> Bool {
        chain(of: source, pastMonitors: true).contains { $0.isOwn || isFeed($0) }
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

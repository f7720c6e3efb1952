/// The devices of a virtual source among those that the server lists.
struct VirtualSourceDevices {
    let isPipeWire: Bool
    /// All sinks with the mark, also those of earlier versions.
    let ownSinks: [AudioSink]
    private(set) var sink: AudioSink?
    private(set) var source: AudioDevice?
    private let devices: AudioDevices
    private let definition: VirtualSourceDefinition
    /// All sources with the mark.
    let ownSources: [AudioDevice]

    init(_ devices: AudioDevices, _ definition: VirtualSourceDefinition) {
        self.devices = devices
        self.definition = definition
        isPipeWire = devices.isPipeWire
        ownSinks = devices.sinks.filter(\.isOwn)
        ownSources = devices.sources.filter { $0.isOwn && !$0.isMonitor }
        let sinks = ownSinks.filter { $0.name == definition.feedName }
        let sources = ownSources.filter { $0.name == definition.sourceName }
        guard isPipeWire else {
            (sink, source) = (sinks.first, sources.first)
            return
        }
        // Several can have the same name there. An earlier core may have loaded one that applications record
        // from.
        let pairs = sources.compactMap { source in
            sinks.first { $0.owner.isSame(as: source.owner) }.map { (sink: $0, source: source) }
        }
        let best =
            pairs.first { !recorders(of: $0.source).isEmpty }
            ?? pairs.first { isCurrent($0.source.owner.module) } ?? pairs.first
        (sink, source) = (best?.sink, best?.source)
    }

    /// The name of a device that is not ours, where ours is to be.
    var takenName: String? {
        if devices.sources.contains(where: { $0.name == definition.sourceName && !$0.isOwn }) {
            return definition.sourceName
        }
        if devices.sinks.contains(where: { $0.name == definition.feedName && !$0.isOwn }) {
            return definition.feedName
        }
        return nil
    }

    /// True if it was made as this version makes it. What a person has configured in PipeWire itself has no
    /// module.
    var isCurrent: Bool {
        modules.allSatisfy { isCurrent($0) }
    }

    /// The modules of the devices in use, in the order in which they may be unloaded.
    var modules: [UInt32] {
        unique([source?.owner.module, sink?.owner.module])
    }

    /// The modules of marked devices that are not in use, and from which no application records.
    var staleModules: [UInt32] {
        let recorded = staleSources.filter { !recorders(of: $0).isEmpty }.map(\.owner.module)
        let used = modules
        return unique(staleSources.map(\.owner.module) + ownSinks.map(\.owner.module))
            .filter { !used.contains($0) && !recorded.contains($0) }
    }

    /// The modules of all marked devices, sources first.
    var allModules: [UInt32] {
        unique(ownSources.map(\.owner.module) + ownSinks.map(\.owner.module))
    }

    /// The names of the applications that record from any source of ours.
    var allRecorderNames: [String] {
        VirtualSourcePlan.names(ownSources.flatMap { recorders(of: $0) })
    }

    /// The streams of applications that record from sources of ours that are not in use.
    var outputsOfStaleSources: [AudioStream] {
        staleSources.flatMap { source in
            devices.sourceOutputs.filter { $0.device == source.index && $0.client != nil }
        }
    }

    /// The streams of other applications that record.
    var recordings: [AudioStream] {
        devices.sourceOutputs.filter { !$0.isOwn && !$0.isMarked && !$0.isMeter && $0.client != nil }
    }

    func devices(of source: AudioDevice, _ sink: AudioSink) -> ChosenStreams.Devices {
        ChosenStreams.Devices(
            source: source.index,
            monitor: sink.monitor,
            defaultSource: devices.defaultSource == source.name
                ? source.index : devices.sources.first { $0.name == devices.defaultSource }?.index,
            others: Set(devices.sources.map(\.index)).subtracting([source.index]),
            hasLinks: devices.hasLinks,
            name: source.name,
            isPipeWire: isPipeWire
        )
    }

    private var staleSources: [AudioDevice] {
        ownSources.filter { $0.index != source?.index }
    }

    /// The stream by which the source records the feed, on PulseAudio.
    func link(of source: AudioDevice) -> AudioStream? {
        guard !isPipeWire, let module = source.owner.module else { return nil }
        return devices.sourceOutputs.first { $0.client == nil && $0.owner.module == module }
    }

    /// The streams of applications that record from the source or from its feed, also through software that
    /// records from them. Level meters and paused streams do not record.
    func recorders(of source: AudioDevice) -> [AudioStream] {
        var visited: Set<UInt32> = []
        return recorders(of: source, &visited)
    }

    /// Returns true if a source runs without any stream, also without level meters and paused ones: PipeWire
    /// connects programs of JACK so, for example. The monitor of the feed says nothing, because it runs while
    /// the core plays to the feed.
    func isRecordedWithoutStream(_ source: AudioDevice) -> Bool {
        guard isPipeWire, source.isRunning else { return false }
        return !devices.sourceOutputs.contains { $0.device == source.index }
    }

    private func recorders(of source: AudioDevice, _ visited: inout Set<UInt32>) -> [AudioStream] {
        guard visited.insert(source.index).inserted else { return [] }
        var found: [AudioStream] = []
        let monitor = monitor(of: source)
        for output in devices.sourceOutputs
        where [source.index, monitor].contains(output.device) && !output.isOwn && !output.isCorked
            && !output.isMeter
        {
            if let filter = devices.sources.first(where: {
                !$0.isMonitor && $0.owner.isSame(as: output.owner)
            }) {
                found += recorders(of: filter, &visited)
            } else {
                found.append(output)
            }
        }
        return found
    }

    /// The monitor of the feed.
    private func monitor(of source: AudioDevice) -> UInt32? {
        let recorded = link(of: source)?.device
        let feed = ownSinks.first { isPipeWire ? $0.owner.isSame(as: source.owner) : $0.monitor == recorded }
        return feed?.monitor
    }

    /// The streams of other connections that play to sinks of ours.
    var foreignInputs: [AudioStream] {
        devices.sinkInputs.filter { input in
            !input.isOwn && ownSinks.contains { $0.index == input.device }
        }
    }

    /// Where those belong.
    var target: AudioSink? {
        devices.sinks.first { $0.name == devices.defaultSink && !$0.isOwn }
            ?? devices.sinks.first { !$0.isOwn }
    }

    /// Of two processes of this program, the one that connected first feeds the source.
    func yields(to input: AudioStream) -> Bool {
        guard let other = input.client, let own = devices.sinkInputs.first(where: \.isOwn)?.client else {
            return true
        }
        return other < own
    }

    func name(ofSource index: UInt32) -> String {
        devices.sources.first { $0.index == index }.map { "“\($0.name)”" } ?? "another source"
    }

    func isLoaded(_ module: VirtualSourceDefinition.Module) -> Bool { index(of: module) != nil }

    func index(of module: VirtualSourceDefinition.Module) -> UInt32? {
        devices.modules.first { $0.name == module.name && $0.argument == module.argument }?.index
    }

    private func isCurrent(_ index: UInt32?) -> Bool {
        guard let index, let module = devices.modules.first(where: { $0.index == index }) else { return true }
        return definition.modules.contains(.init(name: module.name, argument: module.argument))
    }

    private func unique(_ modules: [UInt32?]) -> [UInt32] {
        modules.reduce(into: []) { list, module in
            if let module, !list.contains(module) { list.append(module) }
        }
    }
}

extension AudioDevices {
    /// True if this is pipewire-pulse.
    var isPipeWire: Bool { serverName.contains("PipeWire") }

    fileprivate var hasLinks: Bool {
        let (sources, sinks) = (Set(sources.map(\.index)), Set(sinks.map(\.index)))
        return sourceOutputs.contains { sources.contains($0.device) }
            || sinkInputs.contains { sinks.contains($0.device) }
    }
}

/// Decides what to do about a virtual source, from what the server lists: a value without a server.
///
/// Each listing gives orders. Once they are carried out, or refused, the server is listed again, until no
/// order is left. The source is never unloaded while an application records from it: both servers move the
/// application to another source then, which is the live microphone.
struct VirtualSourcePlan: Sendable {
    enum Condition: Equatable, Sendable {
        /// It is not complete yet. The orders complete it.
        case incomplete
        /// - Parameter reason: For people.
        case unusable(reason: String)
        case usable(Instance)
    }

    /// The plan mutes the feed while it is not to be heard, and never unmutes it.
    enum Feeding: Sendable {
        case off
        /// The server has not confirmed yet that it is unmuted.
        case starting
        case on
    }

    /// The devices in use.
    struct Instance: Equatable, Sendable {
        var sink: UInt32
        var source: UInt32
        /// The names of the applications that record from it.
        var recorders: [String] = []
    }

    struct Step: Equatable, Sendable {
        var condition = Condition.incomplete
        var orders: [Order] = []
        /// The changes that people have made, or that this makes, in sentences.
        var remarks: [String] = []
        /// True if a stream is about to be held by PulseAudio, which until then moves it to the live
        /// microphone when that becomes the default. It counts as recording from the source afterwards. Also
        /// true while PulseAudio's command line is loaded.
        var isHolding = false
    }

    let definition: VirtualSourceDefinition
    var feeding = Feeding.off {
        didSet { if feeding != .off { mayRunForFeed = true } }
    }
    /// PipeWire 1.4 lists a source as running whose last recorder has ended, as long as the core plays to the
    /// feed and a moment longer. What records without a stream counts then only if it did before. PipeWire
    /// 0.3.65 lists it rightly, but reports no change of it then: its end is seen with the next other change.
    private var mayRunForFeed = false
    private var isRecordedWithoutStream = false
    /// The source was muted here, and not by a person.
    private(set) var hasMutedSource = false
    private var chosen = ChosenStreams()
    private(set) var refusals: [Order: String] = [:]
    /// Where PulseAudio's command line can be reached; nil: it is not used.
    let commandSocket: String?
    /// How often its line was written without an effect so far.
    var linesWritten = 0
    /// The devices with the mark. Nil while the source is not complete.
    private var ownDevices: Set<ServerObject>?

    init(_ definition: VirtualSourceDefinition, commandSocket: String? = nil) {
        self.definition = definition
        self.commandSocket = commandSocket
    }

    /// Returns what to do, given everything that the server has now.
    mutating func handle(_ devices: AudioDevices) -> Step {
        let found = VirtualSourceDevices(devices, definition)
        ownDevices = nil
        var step = Step()
        for sink in found.ownSinks where !sink.isMuted && (feeding == .off || sink.index != found.sink?.index)
        {
            step.orders.append(.mute(sink: sink.index))
        }
        if let name = found.takenName {
            step.condition = .unusable(reason: "the audio server has another device with the name “\(name)”")
            return withoutRefused(step)
        }
        guard let sink = found.sink, let source = found.source else {
            chosen.sourceIsMissing()
            complete(found, &step)
            return withoutRefused(step)
        }
        let outdated = found.isCurrent ? [] : found.modules.map { Order.unload(module: $0) }
        let recorders = recorders(found, source)
        if recorders.isEmpty, outdated.contains(where: { refusals[$0] == nil }) {
            step.orders += outdated
            return withoutRefused(step)
        }
        ownDevices = Set(
            found.ownSinks.map { ServerObject(kind: .sink, index: $0.index) }
                + found.ownSources.map { ServerObject(kind: .source, index: $0.index) }
        )
        step.condition = condition(found, sink, source, recorders, &step)
        step.orders += found.staleModules.map { .unload(module: $0) }
        return withoutRefused(step)
    }

    /// Returns true if a change of a device can give another step. Of the devices of others, it matters only
    /// that they are there: their state changes with each press.
    func concerns(_ event: SoundDeviceEvent) -> Bool {
        guard event.type == .change, event.kind != .server, let ownDevices else { return true }
        return ownDevices.contains(event.object)
    }

    /// The server has refused an order of the last step; it is not given again while it stays the same.
    mutating func refused(_ order: Order, reason: String) {
        if case .hold = order { return }
        if case .moveOutput(let output, source: _, memory: _) = order, chosen.isTriedAgain(output) { return }
        refusals[order] = reason
    }

    mutating func disconnected(isPipeWire: Bool) {
        chosen.disconnected(isPipeWire: isPipeWire)
        ownDevices = nil
        hasMutedSource = false
        isRecordedWithoutStream = false
        linesWritten = 0
        refusals = [:]
    }

    private mutating func complete(_ found: VirtualSourceDevices, _ step: inout Step) {
        let module =
            found.isPipeWire
            ? definition.loopbackModule : found.sink == nil ? definition.sinkModule : definition.sourceModule
        if let source = found.source, !found.isPipeWire, !hasMutedSource {
            // It may deliver a live microphone until its feed is back.
            step.remarks.append("the feed of \(sourceLabel) was removed: it is loaded again")
            step.orders.append(.muteSource(source.index))
            hasMutedSource = true
        }
        // PipeWire lists the devices of a module later than the module.
        if found.isPipeWire, found.isLoaded(module) { return }
        if let reason = refusals[.load(module)] {
            step.condition = .unusable(reason: "the audio server does not load \(module.name): \(reason)")
        } else {
            step.orders.append(.load(module))
        }
    }

    private mutating func condition(
        _ found: VirtualSourceDevices,
        _ sink: AudioSink,
        _ source: AudioDevice,
        _ recorders: [String],
        _ step: inout Step
    ) -> Condition {
        if let wrong = divert(found, sink, source, &step) { return .unusable(reason: wrong) }
        if hasMutedSource {
            hasMutedSource = false
            step.orders.append(.unmuteSource(source.index))
        } else if source.isMuted {
            step.remarks.append("\(sourceLabel) is muted in the audio server: unmute it there")
        }
        if feeding == .on, sink.isMuted {
            step.remarks.append("\(feedLabel) is muted in the audio server: nothing is heard")
        }
        // A new device of PipeWire has no volume until WirePlumber has set it, which looks like 0.
        if feeding == .on, source.isSilent {
            step.remarks.append("the volume of \(sourceLabel) is 0 in the audio server: raise it there")
        }
        if feeding == .on, sink.isSilent {
            step.remarks.append("the volume of \(feedLabel) is 0 in the audio server: nothing is heard")
        }
        hold(found, sink, source, &step)
        hide(found, source, &step)
        if let obstacle = clear(found, &step) { return .unusable(reason: obstacle) }
        return .usable(Instance(sink: sink.index, source: source.index, recorders: recorders))
    }

    /// The names of those who record. What has no stream has no name that PipeWire tells.
    private mutating func recorders(_ found: VirtualSourceDevices, _ source: AudioDevice) -> [String] {
        let names = Self.names(found.recorders(of: source))
        if feeding == .off, !names.isEmpty || !source.isRunning { mayRunForFeed = false }
        let isAlone = names.isEmpty && found.isRecordedWithoutStream(source)
        if !(isAlone && mayRunForFeed) { isRecordedWithoutStream = isAlone }
        return isRecordedWithoutStream ? ["a program without a stream"] : names
    }

    /// PulseAudio: moves the stream by which the source records the feed back, if a person has moved it. The
    /// source delivers what that stream records, which may be the live microphone.
    private mutating func divert(
        _ found: VirtualSourceDevices,
        _ sink: AudioSink,
        _ source: AudioDevice,
        _ step: inout Step
    ) -> String? {
        guard let monitor = sink.monitor, let link = found.link(of: source), link.device != monitor else {
            return nil
        }
        let order = Order.moveOutput(link.index, source: monitor)
        let origin = found.name(ofSource: link.device)
        guard let reason = refusals[order] else {
            step.orders.append(order)
            step.remarks.append("\(sourceLabel) was moved to \(origin), which it delivered: it is moved back")
            return "it was moved to \(origin)"
        }
        if !hasMutedSource {
            hasMutedSource = true
            step.orders.append(.muteSource(source.index))
            step.remarks.append("\(sourceLabel) records from \(origin) and cannot be moved back: it is muted")
        }
        return "it records from \(origin), cannot be moved back (\(reason)) and is muted: "
            + "unload it with `\(definition.removal)`"
    }

    /// Keeps the streams that have chosen the source, and moves those back that the server has moved
    /// elsewhere.
    private mutating func hold(
        _ found: VirtualSourceDevices,
        _ sink: AudioSink,
        _ source: AudioDevice,
        _ step: inout Step
    ) {
        for move in chosen.next(found.recordings, found.devices(of: source, sink)) {
            let stream = move.stream
            // WirePlumber offers no way to put back what it remembered.
            let memory = found.isPipeWire ? nil : stream.restoreID
            guard move.isReturn else {
                step.orders.append(.hold(stream.index, sources: move.sources, memory: memory))
                if !found.isPipeWire { step.isHolding = true }
                continue
            }
            for target in move.sources {
                step.orders.append(.moveOutput(stream.index, source: target, memory: memory))
            }
            let origin = found.name(ofSource: stream.device)
            step.remarks.append(
                "\(name(stream)) has chosen \(sourceLabel) and records \(origin): it is moved back"
            )
        }
        for output in found.outputsOfStaleSources {
            let order = Order.moveOutput(output.index, source: source.index)
            if refusals[order] == nil, !step.orders.contains(order) { step.orders.append(order) }
        }
    }

    /// Moves streams of other programs away from the feed.
    ///
    /// - Returns: Why the source cannot be used, if one of them remains.
    private func clear(_ found: VirtualSourceDevices, _ step: inout Step) -> String? {
        var obstacle: String?
        for input in found.foreignInputs {
            guard !input.isMarked else {
                if found.yields(to: input) { obstacle = "another process of this program feeds it" }
                continue
            }
            let order = found.target.map { Order.moveInput(input.index, sink: $0.index) }
            if let order, refusals[order] == nil {
                step.orders.append(order)
                step.remarks.append(
                    "\(name(input)) played to \(definition.feedDescription): it is moved away"
                )
            } else if !input.isCorked && !input.isMuted {
                obstacle = "\(name(input)) plays into it, and cannot be moved to another speaker"
            }
        }
        return obstacle
    }

    /// Removes from a step what the server has refused: it is not asked for again.
    private func withoutRefused(_ step: Step) -> Step {
        var step = step
        step.orders.removeAll { refusals[$0] != nil }
        return step
    }

    // As remarks name them.
    private var sourceLabel: String { "“\(definition.sourceDescription)”" }
    private var feedLabel: String { "“\(definition.feedDescription)”" }

    private func name(_ stream: AudioStream) -> String {
        "“\(stream.applicationName ?? stream.name)”"
    }

    static func names(_ streams: [AudioStream]) -> [String] {
        streams.reduce(into: []) { names, stream in
            let name = stream.applicationName ?? stream.name
            if !names.contains(name) { names.append(name) }
        }
    }
}

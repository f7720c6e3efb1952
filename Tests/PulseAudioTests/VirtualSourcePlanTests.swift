import Testing

@testable import PulseAudio

/// The orders of the plan for what a server lists: no server is needed.
@Suite struct VirtualSourcePlanTests {
    typealias Order = VirtualSourcePlan.Order

    static let definition = VirtualSourceDefinition.tested
    var plan = VirtualSourcePlan(definition)

    /// A server with a microphone, a speaker and, if complete, our modules.
    func pulseAudio(isComplete: Bool = true) -> AudioDevices {
        var devices = AudioDevices()
        devices.serverName = "pulseaudio 16.1"
        (devices.defaultSource, devices.defaultSink) = ("tone", "speaker")
        devices.sources = [.tone]
        devices.sinks = [.speaker]
        guard isComplete else { return devices }
        devices.modules = [
            module(20, Self.definition.sinkModule), module(21, Self.definition.sourceModule),
        ]
        devices.sinks.append(.feed(30, module: 20, monitor: 31))
        devices.sources += [.monitor(31, "ptt_feed.monitor"), .own(32, module: 21)]
        devices.sourceOutputs = [link(40, from: 31)]
        return devices
    }

    func pipeWire(loopbacks: [UInt32] = [50]) -> AudioDevices {
        var devices = AudioDevices()
        devices.serverName = "PulseAudio (on PipeWire 0.3.65) 15.0.0"
        (devices.defaultSource, devices.defaultSink) = ("tone", "speaker")
        devices.sources = [.tone]
        devices.sinks = [.speaker]
        for index in loopbacks {
            devices.modules.append(module(index, Self.definition.loopbackModule))
            devices.sinks.append(.feed(index + 100, module: index, monitor: index + 100))
            devices.sources.append(.own(index + 200, module: index))
        }
        return devices
    }

    func module(_ index: UInt32, _ module: VirtualSourceDefinition.Module) -> AudioModule {
        AudioModule(index: index, name: module.name, argument: module.argument)
    }

    /// The stream by which PulseAudio's remapped source records.
    func link(_ index: UInt32, from source: UInt32) -> AudioStream {
        var stream = AudioStream(device: source, owner: DeviceOwner(module: 21, linkGroup: nil))
        stream.index = index
        stream.name = "Remapped Stream"
        return stream
    }

    func stream(_ index: UInt32, on device: UInt32, _ name: String, client: UInt32? = 7)
        -> AudioStream
    {
        var stream = AudioStream(device: device)
        (stream.index, stream.client, stream.applicationName) = (index, client, name)
        return stream
    }

    /// PulseAudio ignores an order to move a stream to where it is.
    func hold(_ stream: UInt32) -> [Order] { [.hold(stream, sources: [31, 32])] }

    func usable(_ sink: UInt32, _ source: UInt32, _ recorders: [String] = [])
        -> VirtualSourcePlan.Condition
    {
        .usable(.init(sink: sink, source: source, recorders: recorders))
    }

    // MARK: Making and adopting

    @Test mutating func `on PulseAudio the sink is made first, then the source, and the feed is muted`() {
        var devices = pulseAudio(isComplete: false)
        #expect(plan.handle(devices).orders == [.load(Self.definition.sinkModule)])
        devices.modules = [module(20, Self.definition.sinkModule)]
        devices.sinks.append(.feed(30, module: 20, monitor: 31, isMuted: false))
        let step = plan.handle(devices)
        #expect(step.orders == [.mute(sink: 30), .load(Self.definition.sourceModule)])
        #expect(step.condition == .incomplete)
        #expect(plan.handle(pulseAudio()) == .init(condition: usable(30, 32)))
    }

    @Test mutating func `on PipeWire one module makes both`() {
        #expect(plan.handle(pipeWire(loopbacks: [])).orders == [.load(Self.definition.loopbackModule)])
        #expect(plan.handle(pipeWire()) == .init(condition: usable(150, 250)))
    }

    @Test mutating func `a module whose devices PipeWire does not list yet is not loaded again`() {
        var devices = pipeWire()
        devices.sinks.removeLast()
        devices.sources.removeLast()
        #expect(plan.handle(devices) == .init(condition: .incomplete))
    }

    @Test
    mutating func `what an earlier process has left unmuted is muted, and is not during a transmission`() {
        var devices = pipeWire()
        devices.sinks[1] = .feed(150, module: 50, monitor: 150, isMuted: false)
        #expect(plan.handle(devices).orders == [.mute(sink: 150)])
        for feeding in [VirtualSourcePlan.Feeding.starting, .on] {
            plan.feeding = feeding
            #expect(plan.handle(devices).orders == [])
        }
    }

    @Test mutating func `modules of another version are replaced, but not while an application records`() {
        var devices = pulseAudio()
        devices.modules[1] = AudioModule(
            index: 21,
            name: "module-remap-source",
            argument: "master=ptt_feed.monitor"
        )
        #expect(plan.handle(devices).orders == [.unload(module: 21), .unload(module: 20)])
        devices.sourceOutputs.append(stream(41, on: 32, "Mumble"))
        let step = plan.handle(devices)
        #expect(step == .init(condition: usable(30, 32, ["Mumble"]), orders: hold(41), isHolding: true))
    }

    @Test mutating func `a second loopback is unloaded, and applications on it move to the one in use first`()
    {
        var devices = pipeWire(loopbacks: [50, 60])
        #expect(plan.handle(devices).orders == [.unload(module: 60)])
        devices.sourceOutputs = [stream(41, on: 260, "Mumble")]
        for _ in 0..<2 { #expect(plan.handle(devices).condition == usable(160, 260, ["Mumble"])) }
        devices.sourceOutputs.append(stream(42, on: 250, "OBS"))
        #expect(
            plan.handle(devices).orders == [.hold(42, sources: [250]), .moveOutput(41, source: 250)]
        )
    }

    @Test mutating func `a device of another program with the same name is not ours`() {
        var devices = pulseAudio(isComplete: false)
        devices.sources.append(.microphone(33, "ptt_mic"))
        let step = plan.handle(devices)
        #expect(step.orders == [])
        #expect(
            step.condition == .unusable(reason: "the audio server has another device with the name “ptt_mic”")
        )
    }

    @Test mutating func `a server that cannot load the module is asked once for each connection`() {
        let devices = pipeWire(loopbacks: [])
        let order = Order.load(Self.definition.loopbackModule)
        #expect(plan.handle(devices).orders == [order])
        plan.refused(order, reason: "No such entity")
        let step = plan.handle(devices)
        #expect(step.orders == [])
        #expect(
            step.condition
                == .unusable(reason: "the audio server does not load module-loopback: No such entity")
        )
        plan.disconnected(isPipeWire: true)
        #expect(plan.handle(devices).orders == [order])
    }

    // MARK: Who records

    @Test mutating func `applications that record are named once, also those behind a filter`() {
        var devices = pulseAudio()
        var (paused, meter, own) = (
            stream(43, on: 32, "Paused"), stream(44, on: 32, "Meter"), stream(45, on: 32, "Own")
        )
        (paused.isCorked, meter.isMeter, own.isOwn) = (true, true, true)
        devices.sourceOutputs += [
            stream(41, on: 32, "Mumble"), stream(42, on: 32, "Mumble"), paused, meter, own,
        ]
        #expect(plan.handle(devices).condition == usable(30, 32, ["Mumble"]))
        // A source that is remapped from ours, and its stream.
        devices.sources.append(.microphone(35, "clean", module: 25))
        var filter = AudioStream(device: 32, owner: DeviceOwner(module: 25, linkGroup: nil))
        filter.index = 46
        devices.sourceOutputs = [link(40, from: 31), filter]
        #expect(plan.handle(devices).condition == usable(30, 32))
        devices.sourceOutputs.append(stream(47, on: 35, "OBS"))
        #expect(plan.handle(devices).condition == usable(30, 32, ["OBS"]))
    }

    @Test mutating func `an application that records what feeds it records it`() {
        var devices = pulseAudio()
        devices.sourceOutputs.append(stream(41, on: 31, "Firefox"))
        let orders = [VirtualSourcePlan.Order.hold(41, sources: [32])]
        let step = plan.handle(devices)
        #expect(step == .init(condition: usable(30, 32, ["Firefox"]), orders: orders, isHolding: true))
        // If it cannot be moved, it is not tried again.
        #expect(plan.handle(devices) == .init(condition: usable(30, 32, ["Firefox"])))
    }

    @Test mutating func `a source that PipeWire runs without a stream is recorded`() {
        let alone = running(pipeWire())
        #expect(plan.handle(alone).condition == usable(150, 250, ["a program without a stream"]))
        plan.feeding = .on
        #expect(plan.handle(alone).condition == usable(150, 250, ["a program without a stream"]))
        plan.feeding = .off
        #expect(plan.handle(alone).condition == usable(150, 250, ["a program without a stream"]))
        // A level meter is why it runs.
        var meter = stream(41, on: 250, "Meter")
        meter.isMeter = true
        #expect(plan.handle(running(pipeWire(), meter)).condition == usable(150, 250))
    }

    @Test mutating func `a source that PipeWire still runs for the feed is not recorded`() {
        let application = stream(41, on: 250, "Firefox")
        #expect(plan.handle(running(pipeWire(), application)).condition == usable(150, 250, ["Firefox"]))
        plan.feeding = .on
        #expect(plan.handle(running(pipeWire())).condition == usable(150, 250))
        plan.feeding = .off
        #expect(plan.handle(running(pipeWire())).condition == usable(150, 250))
        #expect(plan.handle(pipeWire()).condition == usable(150, 250))
        // What comes now is no remainder.
        #expect(
            plan.handle(running(pipeWire())).condition == usable(150, 250, ["a program without a stream"])
        )
    }

    private func running(_ devices: AudioDevices, _ outputs: AudioStream...) -> AudioDevices {
        var devices = devices
        for index in devices.sources.indices where devices.sources[index].index == 250 {
            devices.sources[index].isRunning = true
        }
        devices.sourceOutputs = outputs
        return devices
    }

    @Test mutating func `a feed that runs while the core plays to it is not recorded`() {
        var devices = pipeWire()
        devices.sources.append(.monitor(150, "ptt_feed.monitor"))
        devices.sources[devices.sources.count - 1].isRunning = true
        #expect(plan.handle(devices).condition == usable(150, 250))
    }
}

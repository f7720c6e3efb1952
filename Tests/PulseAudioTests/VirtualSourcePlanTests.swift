import Testing

@testable import PulseAudio

/// What the plan orders for what a server lists: no server is needed.
@Suite struct VirtualSourcePlanTests {
    private typealias Order = VirtualSourcePlan.Order

    private static let definition = VirtualSourceDefinition.tested
    private var plan = VirtualSourcePlan(definition)

    /// A server with a microphone, a speaker and, if complete, our modules.
    private func pulseAudio(isComplete: Bool = true) -> AudioDevices {
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

    private func pipeWire(loopbacks: [UInt32] = [50]) -> AudioDevices {
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

    private func module(_ index: UInt32, _ module: VirtualSourceDefinition.Module) -> AudioModule {
        AudioModule(index: index, name: module.name, argument: module.argument)
    }

    /// The stream by which PulseAudio's remapped source records.
    private func link(_ index: UInt32, from source: UInt32) -> AudioStream {
        var stream = AudioStream(device: source, owner: DeviceOwner(module: 21, linkGroup: nil))
        stream.index = index
        stream.name = "Remapped Stream"
        return stream
    }

    private func stream(_ index: UInt32, on device: UInt32, _ name: String, client: UInt32? = 7)
        -> AudioStream
    {
        var stream = AudioStream(device: device)
        (stream.index, stream.client, stream.applicationName) = (index, client, name)
        return stream
    }

    private func usable(_ sink: UInt32, _ source: UInt32, _ recorders: [String] = [])
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
        #expect(plan.handle(devices) == .init(condition: usable(30, 32, ["Mumble"])))
    }

    @Test mutating func `a second loopback is unloaded, and applications on it move to the one in use first`()
    {
        var devices = pipeWire(loopbacks: [50, 60])
        #expect(plan.handle(devices).orders == [.unload(module: 60)])
        devices.sourceOutputs = [stream(41, on: 260, "Mumble")]
        #expect(plan.handle(devices).condition == usable(160, 260, ["Mumble"]))
        devices.sourceOutputs.append(stream(42, on: 250, "OBS"))
        #expect(plan.handle(devices).orders == [.moveOutput(41, source: 250)])
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

    // MARK: What others change

    @Test
    mutating func `a source that was moved to the live microphone is moved back, or muted if it cannot be`() {
        var devices = pulseAudio()
        devices.sourceOutputs = [link(40, from: 1)]
        let back = Order.moveOutput(40, source: 31)
        let first = plan.handle(devices)
        #expect(first.orders == [back] && first.condition == .unusable(reason: "it was moved to “tone”"))
        #expect(first.remarks.count == 1)
        plan.refused(back, reason: "Invalid argument")
        let second = plan.handle(devices)
        #expect(second.orders == [.muteSource(32)])
        guard case .unusable(let reason) = second.condition else { return #expect(Bool(false)) }
        #expect(
            reason.contains("“tone”") && reason.contains("is muted") && reason.contains("Invalid argument")
        )
        #expect(plan.handle(devices).orders == [])
        // A person has moved it back.
        #expect(plan.handle(pulseAudio()).orders == [.unmuteSource(32)])
        #expect(plan.handle(pulseAudio()).orders == [])
    }

    @Test mutating func `streams of others are moved away from the feed, to the default sink`() {
        var devices = pulseAudio()
        devices.sinkInputs = [stream(60, on: 30, "Music"), stream(61, on: 2, "Film")]
        let step = plan.handle(devices)
        #expect(step.orders == [.moveInput(60, sink: 2)])
        #expect(step.condition == usable(30, 32) && step.remarks.count == 1)
        plan.refused(.moveInput(60, sink: 2), reason: "Invalid argument")
        let stuck = plan.handle(devices)
        #expect(stuck.orders == [])
        let reason = "“Music” plays into it, and cannot be moved to another speaker"
        #expect(stuck.condition == .unusable(reason: reason))
        devices.sinkInputs[0].isCorked = true
        #expect(plan.handle(devices).condition == usable(30, 32))
    }

    @Test mutating func `without another sink, a stream of others makes the source unusable while it plays`()
    {
        var devices = pulseAudio()
        devices.sinks.removeFirst()
        devices.defaultSink = "ptt_feed"
        devices.sinkInputs = [stream(60, on: 30, "Music")]
        guard case .unusable = plan.handle(devices).condition else { return #expect(Bool(false)) }
        devices.sinkInputs[0].isMuted = true
        #expect(plan.handle(devices).condition == usable(30, 32))
    }

    @Test mutating func `of two processes, the one that connected first feeds the source`() {
        var devices = pulseAudio()
        var (own, other) = (stream(60, on: 30, "own", client: 5), stream(61, on: 30, "other", client: 6))
        (own.isOwn, other.isMarked) = (true, true)
        devices.sinkInputs = [own, other]
        #expect(plan.handle(devices).condition == usable(30, 32))
        devices.sinkInputs[1].client = 4
        #expect(
            plan.handle(devices).condition == .unusable(reason: "another process of this program feeds it")
        )
        #expect(plan.handle(devices).orders == [])
    }

    @Test mutating func `muted by a person is said, and not changed`() {
        var devices = pulseAudio()
        devices.sources[2] = .own(32, module: 21, isMuted: true)
        let step = plan.handle(devices)
        #expect(step.orders == [] && step.condition == usable(30, 32))
        #expect(step.remarks == ["“Push-to-Talk Microphone” is muted in the audio server: unmute it there"])
        plan.feeding = .on
        #expect(plan.handle(devices).remarks.count == 2)
    }

    @Test mutating func `on PulseAudio a source without its feed is muted until it has it again`() {
        var devices = pulseAudio()
        devices.sourceOutputs.append(stream(41, on: 32, "Mumble"))
        _ = plan.handle(devices)
        devices.sinks.removeLast()
        devices.sourceOutputs[0].device = 1
        #expect(plan.handle(devices).orders == [.muteSource(32), .load(Self.definition.sinkModule)])
        devices.sinks.append(.feed(36, module: 22, monitor: 37))
        devices.modules[0] = module(22, Self.definition.sinkModule)
        #expect(plan.handle(devices).orders == [.moveOutput(40, source: 37)])
        devices.sourceOutputs[0].device = 37
        let whole = plan.handle(devices)
        #expect(whole.orders == [.unmuteSource(32)] && whole.condition == usable(36, 32, ["Mumble"]))
    }

    @Test mutating func `applications that the server moved to the microphone, as ours was gone, come back`()
    {
        var devices = pulseAudio()
        devices.sourceOutputs.append(stream(41, on: 32, "Mumble"))
        _ = plan.handle(devices)
        var without = pulseAudio(isComplete: false)
        without.sourceOutputs = [stream(41, on: 1, "Mumble"), stream(42, on: 1, "OBS")]
        #expect(plan.handle(without).orders == [.load(Self.definition.sinkModule)])
        var again = pulseAudio()
        again.sourceOutputs += without.sourceOutputs
        let step = plan.handle(again)
        #expect(step.orders == [.moveOutput(41, source: 32)] && step.remarks.count == 1)
        // A person may move it afterwards.
        #expect(plan.handle(again).orders == [])
    }

    @Test(arguments: [true, false])
    mutating func `after a lost connection they come back on PipeWire, whose streams outlive pipewire-pulse`(
        isPipeWire: Bool
    ) {
        var devices = isPipeWire ? pipeWire() : pulseAudio()
        let source: UInt32 = isPipeWire ? 250 : 32
        devices.sourceOutputs.append(stream(41, on: source, "Mumble"))
        _ = plan.handle(devices)
        plan.disconnected(isPipeWire: isPipeWire)
        devices.sourceOutputs[devices.sourceOutputs.count - 1].device = 1
        #expect(plan.handle(devices).orders == (isPipeWire ? [.moveOutput(41, source: source)] : []))
    }

    @Test mutating func `a complete source is not listed for the state of other devices`() {
        let microphone = DeviceEvent(.source, 1, .change)
        #expect(plan.concerns(microphone))
        _ = plan.handle(pulseAudio())
        #expect(!plan.concerns(microphone) && plan.concerns(DeviceEvent(.source, 1, .remove)))
        #expect(
            plan.concerns(DeviceEvent(.sink, 30, .change)) && plan.concerns(DeviceEvent(.source, 32, .change))
        )
    }
}

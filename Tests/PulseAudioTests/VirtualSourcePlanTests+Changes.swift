import Testing

@testable import PulseAudio

/// Changes by people and by the server.
extension VirtualSourcePlanTests {
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
        for part in ["“tone”", "is muted", "Invalid argument", "`tested remove`"] {
            #expect(reason.contains(part))
        }
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
        (devices.sources[2].isSilent, devices.sinks[1].isSilent) = (true, true)
        #expect(plan.handle(devices).remarks.count == 4)
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
        again.sourceOutputs[1].device = 32
        #expect(plan.handle(again).orders == hold(41))
        #expect(plan.handle(again).orders == [])
        again.sourceOutputs[1].device = 1
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
        let microphone = SoundDeviceEvent(kind: .source, index: 1, type: .change)
        #expect(plan.concerns(microphone))
        _ = plan.handle(pulseAudio())
        #expect(!plan.concerns(microphone))
        #expect(plan.concerns(SoundDeviceEvent(kind: .source, index: 1, type: .remove)))
        #expect(
            plan.concerns(SoundDeviceEvent(kind: .sink, index: 30, type: .change))
                && plan.concerns(SoundDeviceEvent(kind: .source, index: 32, type: .change))
        )
        // Another default source, perhaps.
        #expect(plan.concerns(SoundDeviceEvent(kind: .server, index: .max, type: .change)))
    }

    private static let commandLine = VirtualSourceDefinition.commandLineModule(at: "/pulse/commands")
    private static let line = Order.write(
        "update-source-output-proplist 40 application.id=org.PulseAudio.pavucontrol",
        socket: "/pulse/commands"
    )

    @Test mutating func `PulseAudio's own stream from the feed passes for a volume control's`() {
        plan = VirtualSourcePlan(Self.definition, commandSocket: "/pulse/commands")
        var devices = pulseAudio()
        let first = plan.handle(devices)
        #expect(
            first == .init(condition: usable(30, 32), orders: [.load(Self.commandLine)], isHolding: true)
        )
        devices.modules.append(module(22, Self.commandLine))
        #expect(plan.handle(devices).orders == [Self.line])
        devices.sourceOutputs[0].applicationID = "org.PulseAudio.pavucontrol"
        #expect(plan.handle(devices).orders == [.unload(module: 22)])
        devices.modules.removeLast()
        #expect(plan.handle(devices) == .init(condition: usable(30, 32)))
        // It was made anew.
        devices.sourceOutputs[0].applicationID = nil
        #expect(plan.handle(devices).orders == [.load(Self.commandLine)])
    }

    @Test(arguments: [true, false])
    mutating func `a command line without an effect is unloaded, and the source is used all the same`(
        isRefused: Bool
    ) {
        plan = VirtualSourcePlan(Self.definition, commandSocket: "/pulse/commands")
        var devices = pulseAudio()
        devices.modules.append(module(22, Self.commandLine))
        var step = plan.handle(devices)
        var count = 0
        while step.orders == [Self.line], count < 20 {
            count += 1
            if isRefused { plan.refused(Self.line, reason: "Connection refused") }
            step = plan.handle(devices)
        }
        #expect(count == (isRefused ? 1 : 6))
        #expect(step.orders == [.unload(module: 22)])
        devices.modules.removeLast()
        #expect(plan.handle(devices) == .init(condition: usable(30, 32)))
    }

    @Test mutating func `a server that loads no command line has the source used all the same`() {
        plan = VirtualSourcePlan(Self.definition, commandSocket: "/pulse/commands")
        #expect(plan.handle(pulseAudio()).orders == [.load(Self.commandLine)])
        plan.refused(.load(Self.commandLine), reason: "Access denied")
        #expect(plan.handle(pulseAudio()) == .init(condition: usable(30, 32)))
    }
}

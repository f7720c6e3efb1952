import EventLoop
import TestSupport
import Testing

@testable import PulseAudio

/// The choice among sources, as a value.
@Suite struct MicrophoneTests {
    private func source(
        _ index: UInt32,
        _ name: String,
        description: String = "",
        isMonitor: Bool = false,
        isOwn: Bool = false,
        isHardware: Bool = false,
        isUnplugged: Bool = false,
        module: UInt32? = nil,
        linkGroup: String? = nil
    ) -> AudioDevice {
        AudioDevice(
            index: index,
            name: name,
            description: description,
            isMuted: false,
            isMonitor: isMonitor,
            isOwn: isOwn,
            isHardware: isHardware,
            isUnplugged: isUnplugged,
            owner: DeviceOwner(module: module, linkGroup: linkGroup)
        )
    }

    private func feed(_ source: UInt32, module: UInt32? = nil, linkGroup: String? = nil) -> AudioStream {
        AudioStream(device: source, owner: DeviceOwner(module: module, linkGroup: linkGroup))
    }

    private func devices(
        _ sources: [AudioDevice],
        defaultSource: String? = nil,
        sourceOutputs: [AudioStream] = []
    ) -> AudioDevices {
        var devices = AudioDevices()
        devices.sources = sources
        devices.defaultSource = defaultSource
        devices.sourceOutputs = sourceOutputs
        return devices
    }

    @Test func `the default source is chosen if it is a microphone`() {
        let sources = [source(1, "webcam", isHardware: true), source(2, "headset", isHardware: true)]
        #expect(devices(sources, defaultSource: "headset").microphone?.name == "headset")
    }

    @Test func `nothing is chosen if there are only monitors and this program's own devices`() {
        let sources = [source(1, "speaker.monitor", isMonitor: true), source(2, "own", isOwn: true)]
        for name in ["speaker.monitor", "own", nil] {
            #expect(devices(sources, defaultSource: name).microphone == nil)
        }
        #expect(devices([]).microphone == nil)
    }

    @Test func `if the default is not a microphone, plugged-in hardware is preferred to software`() {
        let monitor = source(1, "speaker.monitor", isMonitor: true)
        let software = source(2, "phone over network")
        let empty = source(3, "jack", isHardware: true, isUnplugged: true)
        let webcam = source(4, "webcam", isHardware: true)
        let all = [monitor, software, empty, webcam]
        #expect(devices(all, defaultSource: monitor.name).microphone == webcam)
        #expect(devices(all.dropLast(), defaultSource: monitor.name).microphone == software)
        #expect(devices([monitor, empty], defaultSource: monitor.name).microphone == empty)
        #expect(devices(all, defaultSource: empty.name).microphone == empty)
    }

    @Test(arguments: [true, false])
    func `a software source is a microphone if it records from one, however indirectly`(isPipeWire: Bool) {
        let monitor = source(1, "speaker.monitor", isMonitor: true)
        let microphone = source(2, "webcam", isHardware: true)
        func maker(_ number: UInt32) -> (module: UInt32?, linkGroup: String?) {
            isPipeWire ? (nil, "group-\(number)") : (number, nil)
        }
        let (first, second) = (maker(10), maker(11))
        let sources = [
            monitor, microphone,
            source(3, "filter", module: first.module, linkGroup: first.linkGroup),
            source(4, "filtered filter", module: second.module, linkGroup: second.linkGroup),
        ]
        let secondFeed = feed(3, module: second.module, linkGroup: second.linkGroup)
        for (origin, isMicrophone) in [(monitor, false), (microphone, true)] {
            let sourceOutputs = [
                feed(origin.index, module: first.module, linkGroup: first.linkGroup), secondFeed,
            ]
            let devices = devices(sources, sourceOutputs: sourceOutputs)
            #expect(devices.isMicrophone(sources[2]) == isMicrophone)
            #expect(devices.isMicrophone(sources[3]) == isMicrophone)
        }
    }

    @Test func `software that records from nothing, or in a cycle, is not a microphone`() {
        let (one, other) = (source(1, "one", module: 10), source(2, "other", module: 11))
        let circle = [feed(2, module: 10), feed(1, module: 11)]
        #expect(devices([one, other], sourceOutputs: circle).microphone == nil)
        #expect(devices([one], sourceOutputs: [feed(.max, module: 10)]).microphone == nil)
    }

    @Test func `the first preferred source that is there is chosen, by its name or its description`() throws {
        let sources = [
            source(1, "alsa_input.usb", description: "Desk", isHardware: true),
            source(2, "alsa_input.pci", description: "Built-in", isHardware: true),
            source(3, "speaker.monitor", isMonitor: true),
        ]
        let devices = devices(sources, defaultSource: "alsa_input.pci")
        func chosen(_ names: String...) throws -> String {
            try devices.microphone(preferring: names).get().name
        }
        #expect(try chosen() == "alsa_input.pci")
        #expect(try chosen("Desk") == "alsa_input.usb")
        #expect(try chosen("headset", "alsa_input.usb", "Built-in") == "alsa_input.usb")
        #expect(try chosen("headset", AudioDevices.wildcard) == "alsa_input.pci")
        #expect(try chosen("speaker.monitor") == "speaker.monitor")
        #expect(throws: AudioError.self) { try chosen("headset") }
    }

    @Test func `a preferred source that is not plugged in is chosen only if no other preferred one is there`()
        throws
    {
        let sources = [
            source(1, "jack", isHardware: true, isUnplugged: true), source(2, "usb", isHardware: true),
        ]
        let devices = devices(sources)
        #expect(try devices.microphone(preferring: ["jack", "usb"]).get().name == "usb")
        #expect(try devices.microphone(preferring: ["jack"]).get().name == "jack")
    }

    @Test func `this program's own sound is refused by name, also through a monitor or software`() throws {
        let feed = AudioSink(index: 1, name: "feed", isMuted: true, isOwn: true, monitor: 1, owner: own(20))
        var devices = devices(
            [
                source(1, "feed.monitor", isMonitor: true), source(2, "own", isOwn: true, module: 21),
                source(3, "filter", module: 22), source(4, "webcam", isHardware: true),
                source(5, "mixture", module: 23),
            ],
            defaultSource: "own",
            sourceOutputs: [
                self.feed(1, module: 21), self.feed(2, module: 22), self.feed(3, module: 23),
                self.feed(4, module: 23),
            ]
        )
        devices.sinks = [feed]
        for name in ["feed.monitor", "own", "filter", "mixture"] {
            #expect {
                try devices.microphone(preferring: [name]).get()
            } throws: { error in
                (error as? AudioError)?.kind == .noDevice && "\(error)".contains("this program itself plays")
            }
        }
        #expect(devices.microphone?.name == "webcam")
        #expect(try devices.microphone(preferring: ["own", "webcam"]).get().name == "webcam")
    }

    @Test func `a headset that plays music has no microphone, unless it is named`() throws {
        var loopback = source(1, "bluez_input.70:BF:92:C9:F5:D0", description: "Headset")
        (loopback.card, loopback.isHeadsetLoopback) = (7, true)
        let webcam = source(2, "webcam", isHardware: true)
        func listed(_ profile: String, _ sources: [AudioDevice]) -> AudioDevices {
            var devices = devices(sources, defaultSource: loopback.name)
            let profiles = ["a2dp-sink", "headset-head-unit"].map {
                AudioCard.Profile(
                    name: $0,
                    hasMicrophone: $0.hasPrefix("headset"),
                    isAvailable: true,
                    priority: 1
                )
            }
            devices.cards = [
                AudioCard(
                    index: 7,
                    name: "card",
                    isBluetooth: true,
                    activeProfile: profile,
                    profiles: profiles
                )
            ]
            return devices
        }
        let music = listed("a2dp-sink", [loopback, webcam])
        #expect(music.microphone == webcam)
        #expect(try music.microphone(preferring: [loopback.name]).get() == loopback)
        #expect(listed("headset-head-unit", [loopback, webcam]).microphone == loopback)
        #expect {
            try listed("a2dp-sink", [loopback]).microphone(preferring: []).get()
        } throws: { "\($0)".contains("“Headset” has none in its profile for music") }
    }

    private func own(_ module: UInt32) -> DeviceOwner { DeviceOwner(module: module, linkGroup: nil) }

    @Test func `an echo canceller, which also records the speaker, is a microphone`() {
        let sources = [
            source(1, "speaker.monitor", isMonitor: true), source(2, "webcam"),
            source(3, "cancelled", module: 10),
        ]
        let sourceOutputs = [feed(1, module: 10), feed(2, module: 10)]
        #expect(devices(sources, sourceOutputs: sourceOutputs).isMicrophone(sources[2]))
    }
}

extension RealServers {
    /// A choice that is outdated when the stream is open.
    @Suite(.timeLimit(.minutes(3)))
    struct StaleChoiceTests {
        init() { withRunningLoop() }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a microphone whose name becomes that of a monitor is refused`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let name = "fickle.monitor"
            let module =
                switch program {
                case .pulseAudio: ["module-null-source", "source_name=\(name)"]
                case .pipeWire:
                    [
                        "module-null-sink", "media.class=Audio/Source/Virtual", "sink_name=\(name)",
                        "sink_properties=priority.session=2000",
                    ]
                }
            let number = try await fixture.server.pactl(["load-module"] + module)
            // The other microphone would be chosen.
            try await fixture.server.removeMicrophone()
            try await fixture.server.untilDefaultSource(is: name)
            let before = try await fixture.audio.devices()
            #expect(before.microphone?.name == name)
            try await fixture.server.pactl("unload-module", number)
            try await fixture.server.pactl("load-module", "module-null-sink", "sink_name=fickle")
            try await expectRefusal(fixture, choosingFrom: before)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `a microphone that is removed before the stream is open is not replaced by a monitor`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let before = try await fixture.audio.devices()
            #expect(before.microphone?.name == "tone")
            try await fixture.server.removeMicrophone()
            try await fixture.server.untilDefaultSource(is: "speaker.monitor")
            try await expectRefusal(fixture, choosingFrom: before)
        }

        @Test(arguments: SoundServerProgram.allCases)
        @EventLoop func `nothing is delivered that was captured before the stream was started`(
            program: SoundServerProgram
        ) async throws {
            let fixture = try await AudioServerFixture.start(program)
            defer { fixture.stop() }
            let first = try Capture(fixture)
            try await first.untilSamples(9600)
            first.close()
            let wanted = MonotonicInstant.now
            let second = try Capture(fixture)
            try await second.untilSamples(9600)
            second.close()
            #expect(second.times.allSatisfy { $0 >= wanted })
        }

        @EventLoop private func expectRefusal(
            _ fixture: AudioServerFixture,
            choosingFrom devices: AudioDevices
        ) async throws {
            let capture = try Capture(fixture, choosingFrom: devices)
            try await capture.untilFailed()
            guard case .failed(let error) = capture.events.last else { return }
            #expect(error.kind == .noDevice)
            #expect(capture.samples.isEmpty && !capture.events.contains(where: \.isOpened))
            try await fixture.untilSourceOutputs(0)
        }
    }
}

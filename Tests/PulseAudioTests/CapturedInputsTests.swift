import Testing

@testable import PulseAudio

/// The inputs that must stay the same while they are captured, as values: no sound card is needed to pull its
/// plug.
@Suite struct CapturedInputsTests {
    private static let headset = AudioDevice.Port(
        name: "analog-input-headset-mic",
        description: "Headset Mic"
    )
    private static let builtIn = AudioDevice.Port(
        name: "analog-input-internal-mic",
        description: "Internal Mic"
    )

    private func card(_ port: AudioDevice.Port?, isUnplugged: Bool = false) -> AudioDevice {
        AudioDevice(
            index: 1,
            name: "alsa_input.pci",
            isMuted: false,
            isMonitor: false,
            isOwn: false,
            isHardware: true,
            isUnplugged: isUnplugged,
            port: port,
            owner: DeviceOwner(module: nil, linkGroup: nil)
        )
    }

    private func stream(on source: UInt32, of module: UInt32) -> AudioStream {
        AudioStream(device: source, owner: DeviceOwner(module: module, linkGroup: nil))
    }

    @Test func `another port in use is another microphone, also through a filter`() throws {
        var devices = AudioDevices()
        let filter = AudioDevice.microphone(2, "cancelled", module: 9)
        devices.sourceOutputs = [stream(on: 1, of: 9), stream(on: 3, of: 9)]
        devices.sources = [card(Self.headset), filter, .monitor(3, "speaker.monitor")]
        var direct = CapturedInputs(devices.origins(of: card(Self.headset)))
        var filtered = CapturedInputs(devices.origins(of: filter))
        #expect(direct == filtered)
        devices.sources[0] = card(Self.builtIn)
        for change in [
            direct.change(to: devices.origins(of: card(Self.builtIn))),
            filtered.change(to: devices.origins(of: filter)),
        ] {
            #expect(change == "“alsa_input.pci” now captures Internal Mic in place of Headset Mic")
        }
    }

    @Test func `the plug is pulled before the server has changed the port`() {
        var inputs = CapturedInputs([card(Self.headset)])
        #expect(inputs.change(to: [card(Self.headset)]) == nil)
        #expect(inputs.change(to: [card(Self.headset, isUnplugged: true)]) != nil)
        // A person has chosen it so.
        inputs = CapturedInputs([card(Self.headset, isUnplugged: true)])
        #expect(inputs.change(to: [card(Self.headset, isUnplugged: true)]) == nil)
    }

    @Test func `a port that is not known for a moment hides no change`() {
        var inputs = CapturedInputs([card(nil)])
        #expect(inputs.change(to: [card(Self.headset)]) == nil)
        #expect(inputs.change(to: [card(nil)]) == nil)
        #expect(inputs.change(to: [card(Self.builtIn)]) != nil)
    }

    @Test func `a filter that loses its microphone, or gets another, is another microphone`() {
        let (desk, webcam) = (AudioDevice.microphone(1, "desk"), AudioDevice.microphone(2, "webcam"))
        for others in [[], [webcam], [desk, webcam]] {
            var inputs = CapturedInputs([desk])
            #expect(inputs.change(to: [desk]) == nil)
            #expect(inputs.change(to: others) != nil)
        }
        var unlinked = CapturedInputs([])
        #expect(unlinked.change(to: [desk]) == nil)
        #expect(unlinked.change(to: [webcam]) == "“webcam” is heard in place of “desk”")
    }

    // MARK: Which source may be opened in place of another

    /// "desk" with a filter in front of it, one in front of another microphone, and one that mixes both.
    private var filters: AudioDevices {
        var devices = AudioDevices()
        devices.sources = [
            .microphone(1, "desk"), .microphone(2, "webcam"), .microphone(3, "desk filter", module: 10),
            .microphone(4, "webcam filter", module: 11), .microphone(5, "mixture", module: 12),
            .microphone(6, "filter of a filter", module: 13), .monitor(7, "speaker.monitor"),
        ]
        devices.sourceOutputs = [
            stream(on: 1, of: 10), stream(on: 2, of: 11), stream(on: 1, of: 12), stream(on: 2, of: 12),
            stream(on: 3, of: 13),
        ]
        return devices
    }

    private func opened(_ name: String, for wanted: String) throws -> String {
        let devices = filters
        let source = try #require(devices.sources.first { $0.name == name })
        let request = StreamRequest(name: "test", preferences: [wanted])
        return try devices.captured(source.index, for: request, openedOn: wanted).name
    }

    @Test(arguments: ["desk", "desk filter", "filter of a filter"])
    func `a filter of the wanted microphone may be captured in its place`(name: String) throws {
        #expect(try opened(name, for: "desk") == name)
    }

    @Test(arguments: ["webcam", "webcam filter", "mixture", "speaker.monitor"])
    func `another microphone may not, nor a filter that hears one`(name: String) {
        #expect {
            try opened(name, for: "desk")
        } throws: { error in
            (error as? AudioError)?.kind == .noDevice && "\(error)".contains("“\(name)” in its place")
        }
    }

    @Test func `in place of one that does not exist nothing is captured`() {
        #expect(throws: AudioError.self) { try opened("webcam", for: "headset") }
    }
}

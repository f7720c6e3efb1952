import PTTCore
import Testing

@testable import PulseAudio
@testable import pttd

/// Which streams of other applications are calls, and which only record.
@Suite struct StreamUseTests {
    private static let microphone: UInt32 = 1
    private static let monitor: UInt32 = 2
    private static let virtual: UInt32 = 3
    private static let virtualMonitor: UInt32 = 4
    /// Echo cancellers of the own source, of the microphone, and of both; a second one behind the first.
    private static let cancelled: UInt32 = 10
    private static let cancelledMicrophone: UInt32 = 11
    private static let mixture: UInt32 = 12
    private static let cancelledTwice: UInt32 = 13

    private static func source(
        _ index: UInt32,
        isMonitor: Bool = false,
        isOwn: Bool = false,
        module: UInt32? = nil
    ) -> AudioDevice {
        AudioDevice(
            index: index,
            name: "source \(index)",
            isMuted: false,
            isMonitor: isMonitor,
            isOwn: isOwn,
            isHardware: false,
            isUnplugged: false,
            owner: DeviceOwner(module: isOwn ? 9 : module, linkGroup: nil)
        )
    }

    private static func stream(
        _ index: UInt32,
        on device: UInt32,
        of application: String = "Application",
        client: UInt32? = 7,
        role: String? = nil
    ) -> AudioStream {
        var stream = AudioStream(device: device)
        stream.index = index
        stream.client = client
        stream.name = "stream"
        stream.applicationName = application
        stream.role = role
        return stream
    }

    private static func use(
        recordings: [AudioStream] = [],
        playbacks: [AudioStream] = [],
        callApplications: [String] = []
    ) -> StreamUse {
        var devices = AudioDevices()
        devices.sources = [
            source(microphone), source(monitor, isMonitor: true), source(virtual, isOwn: true),
            source(virtualMonitor, isMonitor: true, isOwn: true), source(cancelled, module: 20),
            source(cancelledMicrophone, module: 21), source(mixture, module: 22),
            source(cancelledTwice, module: 23),
        ]
        // Each canceller also records what the speaker plays.
        let chain: [(UInt32, UInt32)] = [
            (virtual, 20), (monitor, 20), (microphone, 21), (monitor, 21), (virtual, 22), (microphone, 22),
            (cancelled, 23),
        ]
        devices.sourceOutputs =
            recordings
            + chain.map { AudioStream(device: $0, owner: DeviceOwner(module: $1, linkGroup: nil)) }
        devices.sinkInputs = playbacks
        return StreamUse(devices, callApplications: callApplications)
    }

    @Test func `recording and playing with the role phone are calls`() {
        let use = Self.use(
            recordings: [Self.stream(1, on: Self.microphone, of: "One", role: "phone")],
            playbacks: [Self.stream(1, on: 5, of: "Two", client: 8, role: "phone")]
        )
        #expect(use.phoneStreams.map(\.name) == ["One", "Two"])
        #expect(Set(use.phoneStreams.map(\.id)).count == 2)
        #expect(use.recorders.isEmpty)
    }

    @Test func `a stream that is corked, only measures, or is ours is neither a call nor a recording`() {
        var ignored: [AudioStream] = []
        for role in ["phone", nil] {
            var stream = Self.stream(1, on: Self.microphone, role: role)
            stream.isCorked = true
            ignored.append(stream)
            stream = Self.stream(2, on: Self.microphone, role: role)
            stream.isMeter = true
            ignored.append(stream)
            stream = Self.stream(3, on: Self.microphone, role: role)
            stream.isOwn = true
            ignored.append(stream)
            stream = Self.stream(4, on: Self.microphone, role: role)
            stream.isMarked = true
            ignored.append(stream)
            // That of module-remap-source, for example.
            ignored.append(Self.stream(5, on: Self.microphone, client: nil, role: role))
        }
        #expect(Self.use(recordings: ignored, playbacks: ignored) == StreamUse())
    }

    @Test func `a recording without the role is information, and only if it is of a microphone`() {
        let use = Self.use(recordings: [
            Self.stream(1, on: Self.microphone, of: "Chromium input", role: nil),
            Self.stream(2, on: Self.microphone, of: "Chromium input", role: nil),
            Self.stream(3, on: Self.microphone, of: "Audacity", role: "production"),
            Self.stream(4, on: Self.monitor, of: "Screen recorder"),
            Self.stream(5, on: Self.virtualMonitor, of: "Other"), Self.stream(6, on: .max, of: "Nothing"),
        ])
        #expect(use.phoneStreams.isEmpty && use.callApplications.isEmpty)
        #expect(use.recorders == ["Audacity", "Chromium input"])
    }

    @Test(arguments: ["phone", nil], [virtual, virtualMonitor, cancelled, cancelledTwice])
    func `an application that records from our own source is in no call, whatever it plays`(
        role: String?,
        device: UInt32
    ) {
        let use = Self.use(
            recordings: [Self.stream(1, on: device, of: "Linphone", role: role)],
            playbacks: [
                Self.stream(2, on: 5, of: "another name", role: "phone"),
                Self.stream(3, on: 5, of: "Linphone", client: 8, role: "phone"),
            ],
            callApplications: ["Linphone"]
        )
        #expect(use == StreamUse())
    }

    @Test(arguments: [cancelledMicrophone, mixture])
    func `one that hears a microphone through an echo canceller is in a call`(device: UInt32) {
        let use = Self.use(recordings: [Self.stream(1, on: device, of: "Jami", role: "phone")])
        #expect(use.phoneStreams.map(\.name) == ["Jami"])
    }

    @Test func `a corked recording from our own source keeps its application out of the calls too`() {
        var recording = Self.stream(1, on: Self.virtual)
        recording.isCorked = true
        let playback = Self.stream(2, on: 5, role: "phone")
        #expect(Self.use(recordings: [recording], playbacks: [playback]) == StreamUse())
    }

    @Test func `recordings of the configured applications are calls, by name or identifier`() {
        var byIdentifier = Self.stream(2, on: Self.microphone, of: "Anything")
        byIdentifier.applicationID = "us.zoom.Zoom"
        let use = Self.use(
            recordings: [
                Self.stream(1, on: Self.microphone, of: "ZOOM VoiceEngine"), byIdentifier,
                Self.stream(3, on: Self.microphone, of: "Zoom VoiceEngine 2"),
                Self.stream(4, on: Self.monitor, of: "Zoom VoiceEngine"),
            ],
            callApplications: ["Zoom VoiceEngine", "us.zoom.zoom"]
        )
        #expect(use.callApplications.map(\.id) == ["recording 1", "recording 2"])
        #expect(use.phoneStreams.isEmpty)
        #expect(use.recorders == ["Zoom VoiceEngine 2"])
    }

    @Test func `names without end are bounded`() {
        let long = String(repeating: "a", count: 1_000_000)
        let use = Self.use(
            recordings: (0..<200).map { Self.stream($0, on: Self.microphone, of: "\($0)" + long) },
            callApplications: [long]
        )
        #expect(use.recorders.count == StreamUse.recorderLimit)
        #expect(use.recorders.allSatisfy { $0.utf8.count <= ActiveCalls.nameLimit })
    }
}

import EventLoop
import PushToTalk
import TestSupport
import Testing

/// The calls of applications to the audio session, which have no effect.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AudioSessionTests {
    init() { withRunningLoop() }

    /// Semantics, “The session belongs to the system”: an application returns early if activation throws, and
    /// concludes from a deactivation that does not throw that the microphone is closed.
    @EventLoop
    @Test func `activation succeeds, and deactivation of an active session throws`() async throws {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        let session = AVAudioSession.sharedInstance()
        try session.setActive(true)
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        let bob = PTParticipant(name: "Bob", image: nil)
        try await manager.setActiveRemoteParticipant(bob, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didActivate")
        try session.setActive(true)
        let error = #expect(throws: NSError.self) { try session.setActive(false) }
        #expect(error?.domain == "NSOSStatusErrorDomain")
        #expect(error?.code == AVAudioSession.ErrorCode.isBusy.rawValue)
        try await manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didDeactivate")
        try session.setActive(false)
        #expect(delegate.all.filter { $0.contains("ctivate") } == ["didActivate", "didDeactivate"])
    }

    @Test func `the values that an application sets are stored and have no effect`() throws {
        let session = AVAudioSession.sharedInstance()
        session.routeChanged(input: "internal", output: "speaker")
        try session.setCategory(.record, mode: .measurement, options: [.allowBluetoothHFP])
        try session.setPreferredSampleRate(16_000)
        try session.setPreferredIOBufferDuration(0.005)
        let microphone = try #require(session.availableInputs?.first)
        try session.setPreferredInput(microphone)
        try session.overrideOutputAudioPort(.speaker)
        #expect(session.category == .record && session.mode == .measurement)
        #expect(session.categoryOptions == .allowBluetoothHFP)
        #expect(session.preferredSampleRate == 16_000 && session.sampleRate == 48_000)
        #expect(session.preferredIOBufferDuration == 0.005 && session.ioBufferDuration == 0.02)
        #expect(session.preferredInput === microphone && microphone.portName == "internal")
        #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
        #expect(session.outputVolume == 1)
        try session.setCategory(.playAndRecord, mode: .voiceChat, policy: .independent, options: .duckOthers)
        #expect(session.routeSharingPolicy == .independent && session.categoryOptions == .duckOthers)
        try session.setCategory(.playAndRecord)
        #expect(session.routeSharingPolicy == .default && session.mode == .default)
        try session.setAllowHapticsAndSystemSoundsDuringRecording(true)
        #expect(session.allowHapticsAndSystemSoundsDuringRecording)
    }

    @Test func `what the library does not know or cannot do is said`() {
        let session = AVAudioSession.sharedInstance()
        #expect(session.isInputAvailable && !session.secondaryAudioShouldBeSilencedHint)
        #expect(session.inputLatency == 0 && session.outputLatency == 0)
        #expect(session.inputGain == 1 && !session.isInputGainSettable)
        let error = #expect(throws: NSError.self) { try session.setInputGain(0.5) }
        #expect(error.flatMap { AVAudioSession.ErrorCode(rawValue: $0.code) } == .resourceNotAvailable)
    }

    @Test func `permission to record is granted without asking`() async {
        let session = AVAudioSession.sharedInstance()
        #expect(session.recordPermission == .granted)
        #expect("\(session.recordPermission)" == "AVAudioSessionRecordPermission(rawValue: 1735552628)")
        var answers: [Bool] = []
        session.requestRecordPermission { answers.append($0) }
        AVAudioApplication.requestRecordPermission { answers.append($0) }
        answers.append(await AVAudioApplication.requestRecordPermission())
        #expect(answers == [true, true, true])
        #expect(AVAudioApplication.shared.recordPermission == .granted)
    }

    /// Applications have stored the raw values.
    @Test func `ports and enumerations have Apple's values`() {
        let ports: [AVAudioSession.Port] = [
            .builtInMic, .headsetMic, .lineIn, .builtInSpeaker, .builtInReceiver, .headphones, .lineOut,
            .bluetoothHFP, .bluetoothA2DP, .bluetoothLE, .usbAudio, .carAudio, .airPlay, .HDMI,
        ]
        #expect(
            ports.map(\.rawValue) == [
                "MicrophoneBuiltIn", "MicrophoneWired", "LineIn", "Speaker", "Receiver", "Headphones",
                "LineOut", "BluetoothHFP", "BluetoothA2DPOutput", "BluetoothLE", "USBAudio", "CarAudio",
                "AirPlay", "HDMIOutput",
            ]
        )
        #expect(AVAudioSession.PortOverride.speaker.rawValue == 1_936_747_378)
        #expect(AVAudioSession.RecordPermission.undetermined.rawValue == 1_970_168_948)
        #expect(AVAudioSession.RecordPermission.denied.rawValue == 1_684_369_017)
        #expect(AVAudioSession.InterruptionType(rawValue: 1) == .began)
        #expect(AVAudioSession.RouteChangeReason(rawValue: 8) == .routeConfigurationChange)
        #expect(AVAudioSession.RouteChangeReason(rawValue: 80)?.rawValue == 80)
        #expect(AVAudioSession.ErrorCode.isBusy.rawValue == 560_030_580)
        #expect(AVAudioSession.ErrorCode.sessionNotActive.rawValue == 1_768_841_571)
        #expect(AVAudioSession.ErrorCode.badParam.rawValue == -50)
    }
}

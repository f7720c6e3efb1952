import Foundation
import PTTMessages
import Testing

@Suite struct MessageTests {
    static let origin = Origin(kind: .bluetoothButton, identifier: "A4:C1:38:00:00:01", name: "PTT-Z01")
    static let transmission = Transmission(
        transmissionID: TransmissionID(rawValue: 7),
        source: .handsfreeButton,
        origin: origin,
        began: 1_000_000
    )
    static let emergency = Transmission(
        transmissionID: TransmissionID(rawValue: 8),
        source: .handsfreeButton,
        origin: origin,
        began: 1_000_000,
        role: .emergency,
        latched: 1_200_000,
        recording: .standard
    )
    static let channel = Channel(
        channelID: ChannelID(randomBytes: (1, 2)),
        name: "Ops",
        application: Application(name: "Radio", processID: 42)
    )
    static let image = ImageSummary(imageID: "00ff", byteCount: 1200)
    static let push = Push(
        pushID: PushID(rawValue: 3),
        kind: .serviceUpdate,
        payload: #"{"roster":["Ann"]}"#,
        isHighPriority: true,
        remainingHighPriorityBudget: 5
    )
    static let microphone = MicrophoneState(
        name: "alsa_input.usb",
        description: "Headset",
        isMuted: true,
        isSilent: false
    )
    static let events: [CoreEvent] = [
        .channelJoined(channel: channel, joinReason: .channelRestoration),
        .descriptorChanged(name: "Tac", image: image),
        .descriptorChanged(name: "Tac", image: nil), .applicationStarting, .applicationDetached,
        .channelLeft(leaveReason: .systemPolicy, explanation: "closed"),
        .channelLeft(leaveReason: .userRequest, explanation: nil),
        .serviceStatusChanged(serviceStatus: .connecting),
        .transmissionModeChanged(transmissionMode: .listenOnly),
        .accessoryEventsChanged(isEnabled: false),
        .participantChanged(participant: Participant(name: "Ann", image: image)),
        .participantChanged(participant: nil), .transmissionBegan(transmission: transmission),
        .transmissionLatched(transmission: emergency),
        .transmissionEnded(transmission: transmission, cause: .linkLost, endedBy: .unknown),
        .transmissionRefused(origin: origin, refusal: Refusal(.channelNotFound, "no channel is joined")),
        .timeLimitNear(secondsLeft: 10), .audioActivating, .audioActivated, .audioDeactivated,
        .audioInterrupted(interruption: .speakerLost), .audioInterruptionEnded,
        .routeChanged(input: "Headset", output: nil),
        .audioServerReady, .audioServerLost,
        .pushFinished(pushID: PushID(rawValue: 3), outcome: .failed, explanation: "transmitting"),
        .channelRestored(
            restored: .init(channelID: channel.channelID, needsDescriptor: true),
            pushToken: PushToken(rawValue: "00ff")
        ),
        .pushReceived(push: push), .requestAnswered(callID: nil, refusal: nil),
        .requestAnswered(callID: CallID(rawValue: 7), refusal: Refusal(.unknown, "the socket broke")),
        .endRefused(refusal: Refusal(.transmissionNotFound, "nobody transmits")), .stateSaved,
        .stateNotSaved(explanation: "the disk is full"), .accessoryPressed(origin: origin, role: .talk),
        .accessoryReleased(origin: origin, role: .emergency),
        .buttonPressed(origin: origin, role: .channelUp),
        .buttonReleased(origin: origin, role: .multifunction), .transmissionBegan(transmission: emergency),
        .virtualMicrophoneChanged(virtualMicrophone: .off),
        .virtualMicrophoneChanged(virtualMicrophone: .unavailable(reason: "no audio server")),
        .virtualMicrophoneChanged(virtualMicrophone: .idle),
        .virtualMicrophoneChanged(virtualMicrophone: .recorded(by: ["Mumble", "OBS"])),
        .callChanged(call: ActiveCall(source: "oFono", name: "Ann")), .callChanged(call: nil),
        .recordersChanged(recorders: ["Chromium"]), .recordersChanged(recorders: []),
        .microphoneChanged(microphone: microphone), .microphoneChanged(microphone: nil),
        .volumeChanged(volume: 150),
        .unknown(kind: "floorRequested"),
    ]

    @Test(arguments: events)
    func `an event reads back as it was written`(_ event: CoreEvent) throws {
        #expect(try coded(Tagged(event)).value == event)
    }

    @Test func `an event on the socket has its kind and the members of that kind`() throws {
        let text = try json(
            Tagged(
                CoreEvent.transmissionEnded(
                    transmission: Self.transmission,
                    cause: .linkLost,
                    endedBy: .unknown
                )
            )
        )
        #expect(
            text == """
                {"cause":"linkLost","endedBy":"unknown","kind":"transmissionEnded","transmission":{"began":1000000,"origin":\
                {"identifier":"A4:C1:38:00:00:01","kind":"bluetoothButton","name":"PTT-Z01"},\
                "source":"handsfreeButton","transmissionID":7}}
                """
        )
        #expect(try json(Tagged(CoreEvent.audioActivated)) == #"{"kind":"audioActivated"}"#)
    }

    @Test(arguments: [
        #"{"kind":"channelJoined"}"#, #"{"kind":"timeLimitNear","secondsLeft":"10"}"#, #"{}"#, #"[]"#,
        #"{"kind":"transmissionEnded","cause":"released"}"#,
    ])
    func `an event without a member of its kind does not decode`(_ text: String) {
        #expect(throws: DecodingError.self) { try decoded(text, as: Tagged<CoreEvent>.self) }
    }

    @Test func `requests and replies read back as they were written`() throws {
        let format = try #require(AudioFormat(rate: 16_000, channels: 2))
        let id = Self.channel.channelID
        try expectRoundTrip(
            ChannelInterface.JoinRequest(channelID: id, name: "Ops", application: "Radio", format: format)
        )
        try expectRoundTrip(ChannelInterface.JoinRequest(channelID: nil, name: "Ops", application: nil))
        try expectRoundTrip(ChannelInterface.JoinReply(channelID: id, token: "secret", format: .standard))
        try expectRoundTrip(ChannelInterface.LeaveRequest(channelID: nil))
        try expectRoundTrip(ChannelInterface.DescriptorRequest(channelID: id, name: "Tac"))
        try expectRoundTrip(
            ChannelInterface.BeginRequest(channelID: nil, source: .userRequest, origin: Self.origin)
        )
        try expectRoundTrip(
            ChannelInterface.BeginRequest(
                channelID: id,
                source: .handsfreeButton,
                origin: Self.origin,
                role: .emergency,
                recording: .standard
            )
        )
        try expectRoundTrip(ChannelInterface.BeginReply(transmissionID: .init(rawValue: 1), token: "secret"))
        try expectRoundTrip(
            ChannelInterface.ButtonReport(
                channelID: nil,
                origin: Self.origin,
                role: .channelUp,
                isPressed: true
            )
        )
        try expectRoundTrip(
            ChannelInterface.EndRequest(
                channelID: nil,
                origin: Self.origin,
                cause: .released,
                role: .emergency
            )
        )
        try expectRoundTrip(ChannelInterface.VolumeRequest(volume: 80))
        try expectRoundTrip(ChannelInterface.LevelReport(microphone: -20.5, speaker: nil))
        try expectRoundTrip(ChannelInterface.BatteryReport(origin: Self.origin, percent: 5))
        try expectRoundTrip(
            ChannelInterface.EndRequest(channelID: nil, origin: Self.origin, cause: .released)
        )
        try expectRoundTrip(ChannelInterface.EndRequest(channelID: nil, origin: nil, cause: nil))
        try expectRoundTrip(Refusal(.transmissionNotAllowed, "let go first"))
        let status = Status(
            channel: Self.channel,
            transmission: Self.transmission,
            audio: .active,
            isAudioServerReady: true,
            timeLimit: 60,
            saveFailure: "the disk is full",
            virtualMicrophone: .recorded(by: ["Mumble"]),
            call: ActiveCall(source: "ModemManager", name: "Ann"),
            recorders: ["Chromium"],
            microphone: Self.microphone,
            volume: 80
        )
        try expectRoundTrip(ChannelInterface.StatusReply(status: status))
        let unheard = UnheardDevice(name: "ptt_feed", isFeed: true, isMuted: true)
        try expectRoundTrip(ChannelInterface.StatusReply(status: status, unheardDevices: [unheard]))
        try expectRoundTrip(ChannelInterface.Update(sequence: 1, time: 2, status: status, event: nil))
        try expectRoundTrip(
            ChannelInterface.Update(sequence: 2, time: 3, status: nil, event: .audioActivated)
        )
    }

    @Test func `messages about accessories read back as they were written`() throws {
        let device = AccessoryDevice(
            kind: .wiredHeadset,
            identifier: "usb-1",
            name: "Headset",
            profile: nil,
            mode: .toggle,
            link: .unused,
            isPressed: false,
            remark: "its key repeats",
            battery: 40,
            accessory: "usb-headset",
            lastRole: .emergency,
            lastPress: 1
        )
        let event = AccessoryEvent(
            .ignored,
            device: device,
            role: .channelUp,
            value: "80",
            remark: "heartbeat"
        )
        try expectRoundTrip(AccessoryInterface.DevicesReply(devices: [device], isCoreConnected: true))
        try expectRoundTrip(AccessoryInterface.Update(sequence: 0, time: 1, devices: [device], event: nil))
        try expectRoundTrip(AccessoryInterface.Update(sequence: 1, time: 2, devices: nil, event: event))
        try expectRoundTrip(AccessoryInterface.ScanRequest(seconds: 30))
        let discovery = AccessoryInterface.Discovery(
            address: "A4:C1:38:00:00:01",
            name: "PTT-Z01",
            rssi: -60,
            profile: "FFE0",
            isPaired: false,
            addressType: .privateResolvable
        )
        try expectRoundTrip(AccessoryInterface.ScanReply(device: discovery))
        try expectRoundTrip(AccessoryInterface.AddressRequest(address: "A4:C1:38:00:00:01"))
        try expectRoundTrip(AccessoryInterface.PairReply(device: device))
    }

    @Test func `messages of applications and pushes read back as they were written`() throws {
        let id = Self.channel.channelID
        let speaker = ApplicationInterface.Speaker(name: "Ann", image: "iVBORw==")
        try expectRoundTrip(
            ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: "org.example.Radio"),
                name: "Radio",
                activation: Activation(kind: .systemdUnit, name: "radio.service"),
                isForeground: false,
                format: .standard
            )
        )
        let attachment = ApplicationInterface.Attachment(
            callToken: "c",
            audioToken: "a",
            pushToken: PushToken(rawValue: "00ff"),
            format: .standard,
            restored: .init(channelID: id, needsDescriptor: true),
            isAudioServerReady: true
        )
        try expectRoundTrip(
            ApplicationInterface.Update(sequence: 0, time: 1, attachment: attachment, event: nil)
        )
        try expectRoundTrip(
            ApplicationInterface.Update(
                sequence: 1,
                time: 2,
                attachment: nil,
                event: .pushReceived(push: Self.push)
            )
        )
        try expectRoundTrip(ApplicationInterface.UseAttachmentRequest(callToken: "c"))
        try expectRoundTrip(ApplicationInterface.ForegroundRequest(isForeground: false))
        try expectRoundTrip(ApplicationInterface.ServiceStatusRequest(channelID: id, status: .unavailable))
        try expectRoundTrip(ApplicationInterface.TransmissionModeRequest(channelID: nil, mode: .fullDuplex))
        try expectRoundTrip(ApplicationInterface.AccessoryEventsRequest(channelID: id, isEnabled: false))
        try expectRoundTrip(ApplicationInterface.ParticipantRequest(channelID: id, participant: speaker))
        try expectRoundTrip(ApplicationInterface.ParticipantRequest(channelID: id, participant: nil))
        try expectRoundTrip(
            ApplicationInterface.FinishPushRequest(
                pushID: PushID(rawValue: 3),
                result: .activeRemoteParticipant,
                participant: speaker,
                endsTransmission: true
            )
        )
        try expectRoundTrip(
            PushInterface.SendRequest(
                token: PushToken(rawValue: "00ff"),
                topic: "org.example.Radio.voip-ptt",
                type: "pushtotalk",
                priority: 10,
                expiration: 0,
                payload: "{}"
            )
        )
        try expectRoundTrip(PushInterface.SendReply(pushID: PushID(rawValue: 3)))
        try expectRoundTrip(PushRejection(.badDeviceToken, "no channel has this token"))
    }

    private func expectRoundTrip<Message: Codable & Equatable>(_ message: Message) throws {
        #expect(try coded(message) == message)
    }

    private func coded<Message: Codable>(_ message: Message) throws -> Message {
        try decoded(json(message), as: Message.self)
    }

    func decoded<Message: Decodable>(_ text: String, as: Message.Type) throws -> Message {
        try JSONDecoder().decode(Message.self, from: Data(text.utf8))
    }

    func json(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }
}

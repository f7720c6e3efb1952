import PTTMessages
import Testing

extension MessageTests {
    @Test(arguments: [ChannelInterface.description, ApplicationInterface.description])
    func `the enumerations of both interfaces about a channel have the cases of their texts`(
        _ description: String
    ) {
        expectCases(TransmitSource.self, "Source", in: description)
        expectCases(OriginKind.self, "OriginKind", in: description)
        expectCases(ButtonRole.self, "ButtonRole", in: description)
        expectCases(EndCause.self, "EndCause", in: description)
        expectCases(RefusalCode.self, "RefusalCode", in: description)
        expectCases(JoinReason.self, "JoinReason", in: description)
        expectCases(LeaveReason.self, "LeaveReason", in: description)
        expectCases(ServiceStatus.self, "ServiceStatus", in: description)
        expectCases(TransmissionMode.self, "TransmissionMode", in: description)
        expectCases(Interruption.self, "Interruption", in: description)
        expectCases(PushOutcome.self, "PushOutcome", in: description)
    }

    @Test func `the enumerations of a single interface have the cases of its text`() {
        expectCases(AudioState.self, "AudioState", in: ChannelInterface.description)
        expectCases(
            VirtualMicrophone.State.self,
            "VirtualMicrophoneState",
            in: ChannelInterface.description
        )
        expectCases(Activation.Kind.self, "ActivationKind", in: ApplicationInterface.description)
        expectCases(PushKind.self, "PushKind", in: ApplicationInterface.description)
        expectCases(
            ApplicationInterface.PushResult.self,
            "PushResult",
            in: ApplicationInterface.description
        )
        expectCases(PushRejectionCode.self, "RejectionCode", in: PushInterface.description)
        expectCases(OriginKind.self, "DeviceKind", in: AccessoryInterface.description)
        expectCases(ButtonMode.self, "ButtonMode", in: AccessoryInterface.description)
        expectCases(LinkState.self, "LinkState", in: AccessoryInterface.description)
        expectCases(ButtonRole.self, "ButtonRole", in: AccessoryInterface.description)
        expectCases(AddressType.self, "AddressType", in: AccessoryInterface.description)
        expectCases(AccessoryEventKind.self, "EventKind", in: AccessoryInterface.description)
    }

    @Test func `every kind of event is in the text of the interface that delivers it`() {
        let forApplications = [
            "channelRestored", "pushReceived", "requestAnswered", "endRefused", "accessoryPressed",
            "accessoryReleased", "buttonPressed", "buttonReleased",
        ]
        for event in Self.events.dropLast() {
            let isForApplications = forApplications.contains(event.kind)
            let text = isForApplications ? ApplicationInterface.description : ChannelInterface.description
            #expect(text.contains(event.kind), "\(event.kind)")
        }
    }

    /// The cases are those of Apple's enumerations, in the order of their raw values, and then our own.
    @Test func `codes are named as in the framework`() {
        #expect(
            RefusalCode.allCases.map(\.rawValue) == [
                "unknown", "channelNotFound", "channelLimitReached", "callActive", "transmissionInProgress",
                "transmissionNotFound", "appNotForeground", "deviceManagementRestriction",
                "screenTimeRestriction", "transmissionNotAllowed", "noRecorder",
            ]
        )
        #expect(
            TransmitSource.allCases.map(\.rawValue) == [
                "unknown", "userRequest", "developerRequest", "handsfreeButton",
            ]
        )
        #expect(
            LeaveReason.allCases.map(\.rawValue) == [
                "unknown", "userRequest", "developerRequest", "systemPolicy",
            ]
        )
    }

    @Test func `every field of a message is in the interface text`() throws {
        let id = Self.channel.channelID
        let channel = Channel(
            channelID: id,
            name: "Ops",
            image: Self.image,
            owner: ApplicationID(rawValue: "org.example.Radio"),
            application: Application(name: "Radio", processID: 42),
            participant: Participant(name: "Ann", image: Self.image)
        )
        let join = ChannelInterface.JoinRequest(
            channelID: id,
            name: "Ops",
            application: "Radio",
            format: .standard,
            image: "iVBORw=="
        )
        try expectFields(channel, in: ChannelInterface.description)
        try expectFields(join, in: ChannelInterface.description)
        for event in Self.events.dropLast() {
            let isForApplications = [
                "channelRestored", "pushReceived", "requestAnswered", "endRefused", "accessoryReleased",
                "buttonPressed", "buttonReleased",
            ].contains(event.kind)
            if !isForApplications { try expectFields(Tagged(event), in: ChannelInterface.description) }
            try expectFields(Tagged(event), in: ApplicationInterface.description)
        }
        let attach = ApplicationInterface.AttachRequest(
            identifier: ApplicationID(rawValue: "org.example.Radio"),
            name: "Radio",
            activation: Activation(kind: .busName, name: "org.example.Radio"),
            format: .standard
        )
        let attachment = ApplicationInterface.Attachment(
            callToken: "c",
            audioToken: "a",
            pushToken: PushToken(rawValue: "00ff"),
            format: .standard,
            restored: .init(channelID: id, needsDescriptor: true),
            isAudioServerReady: true
        )
        let finish = ApplicationInterface.FinishPushRequest(
            pushID: PushID(rawValue: 3),
            result: .activeRemoteParticipant,
            participant: .init(name: "Ann", image: "iVBORw==")
        )
        for message in [attach, attachment, channel, finish] as [any Encodable] {
            try expectFields(message, in: ApplicationInterface.description)
        }
        let send = PushInterface.SendRequest(
            token: PushToken(rawValue: "00ff"),
            topic: "t",
            type: "pushtotalk",
            priority: 10,
            expiration: 0,
            payload: "{}"
        )
        try expectFields(send, in: PushInterface.description)
        let device = AccessoryDevice(
            kind: .serialMicrophone,
            identifier: "A4:C1:38:00:00:01",
            name: "Mic",
            profile: "PTT",
            mode: .hold,
            link: .ready,
            isPressed: true,
            remark: "battery low",
            battery: 5,
            accessory: "ptt",
            lastRole: .talk,
            lastPress: 1
        )
        let pressed = AccessoryEvent(.pressed, device: device, role: .talk, value: "+PTT=P", remark: "x")
        try expectFields(pressed, in: AccessoryInterface.description)
    }

    private func expectFields(_ message: some Encodable, in description: String) throws {
        for match in try json(message).matches(of: /"(\w+)":/) {
            #expect(description.contains("\(match.1):"), "\(match.1)")
        }
    }

    private func expectCases<Value: WireEnum>(_: Value.Type, _ name: String, in description: String) {
        let text = description.replacing(/\s+/, with: " ")
        let cases = Value.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(text.contains("type \(name) (\(cases))"))
    }
}

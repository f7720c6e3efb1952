import PTTMessages
import Testing

extension MessageTests {
    @Test(arguments: [ChannelInterface.description, ApplicationInterface.description])
    func `every word about a channel is in the interface text`(_ description: String) {
        expectWords(TransmitSource.self, "Source", in: description)
        expectWords(OriginKind.self, "OriginKind", in: description)
        expectWords(EndCause.self, "EndCause", in: description)
        expectWords(RefusalCode.self, "RefusalCode", in: description)
        expectWords(JoinReason.self, "JoinReason", in: description)
        expectWords(LeaveReason.self, "LeaveReason", in: description)
        expectWords(ServiceStatus.self, "ServiceStatus", in: description)
        expectWords(TransmissionMode.self, "TransmissionMode", in: description)
        expectWords(Interruption.self, "Interruption", in: description)
        expectWords(PushOutcome.self, "PushOutcome", in: description)
    }

    @Test func `every word that only one interface has is in its text`() {
        expectWords(AudioState.self, "AudioState", in: ChannelInterface.description)
        expectWords(Activation.Kind.self, "ActivationKind", in: ApplicationInterface.description)
        expectWords(PushKind.self, "PushKind", in: ApplicationInterface.description)
        expectWords(
            ApplicationInterface.PushResult.self,
            "PushResult",
            in: ApplicationInterface.description
        )
        expectWords(PushRejectionCode.self, "RejectionCode", in: PushInterface.description)
        expectWords(OriginKind.self, "DeviceKind", in: AccessoryInterface.description)
        expectWords(ButtonMode.self, "ButtonMode", in: AccessoryInterface.description)
        expectWords(LinkState.self, "LinkState", in: AccessoryInterface.description)
        expectWords(AccessoryEventKind.self, "EventKind", in: AccessoryInterface.description)
    }

    @Test func `every kind of event is in the text of the interface that tells of it`() {
        let forApplications = [
            "channelRestored", "pushReceived", "requestAnswered", "endRefused", "accessoryPressed",
            "accessoryReleased",
        ]
        for event in Self.events.dropLast() {
            let isForApplications = forApplications.contains(event.kind)
            let text = isForApplications ? ApplicationInterface.description : ChannelInterface.description
            #expect(text.contains(event.kind), "\(event.kind)")
        }
    }

    /// The words of the enumerations are those of Apple's, in the order of their raw values.
    @Test func `codes are named as in the framework`() {
        #expect(
            RefusalCode.allCases.map(\.rawValue) == [
                "unknown", "channelNotFound", "channelLimitReached", "callActive", "transmissionInProgress",
                "transmissionNotFound", "appNotForeground", "deviceManagementRestriction",
                "screenTimeRestriction", "transmissionNotAllowed",
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
            let isForApplications = ["channelRestored", "pushReceived", "requestAnswered", "endRefused"]
                .contains(event.kind)
            if !isForApplications { try expectFields(event, in: ChannelInterface.description) }
            try expectFields(event, in: ApplicationInterface.description)
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
    }

    private func expectFields(_ message: some Encodable, in description: String) throws {
        for match in try json(message).matches(of: /"(\w+)":/) {
            #expect(description.contains("\(match.1):"), "\(match.1)")
        }
    }

    private func expectWords<Word: WireEnum>(_: Word.Type, _ name: String, in description: String) {
        let text = description.replacing(/\s+/, with: " ")
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(text.contains("type \(name) (\(words))"))
    }
}

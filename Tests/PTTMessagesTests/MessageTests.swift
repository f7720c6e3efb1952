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
    static let channel = Channel(
        channelID: ChannelID(randomBytes: (1, 2)),
        name: "Ops",
        application: Application(name: "Radio", processID: 42)
    )
    static let events: [CoreEvent] = [
        .channelJoined(channel), .descriptorChanged(name: "Tac"), .applicationDetached, .channelLeft,
        .transmissionBegan(transmission), .transmissionEnded(transmission, .linkLost),
        .transmissionRefused(origin, Refusal(.channelNotFound, "no channel is joined")),
        .timeLimitNear(secondsLeft: 10), .audioActivating, .audioActivated, .audioDeactivated,
        .audioServerReady, .audioServerLost, .unknown("participantSet"),
    ]

    @Test(arguments: events)
    func `an event reads back as it was written`(_ event: CoreEvent) throws {
        #expect(try coded(event) == event)
    }

    @Test func `an event on the socket has its kind and what belongs to it`() throws {
        let text = try json(CoreEvent.transmissionEnded(Self.transmission, .linkLost))
        #expect(
            text == """
                {"cause":"linkLost","kind":"transmissionEnded","transmission":{"began":1000000,"origin":\
                {"identifier":"A4:C1:38:00:00:01","kind":"bluetoothButton","name":"PTT-Z01"},\
                "source":"handsfreeButton","transmissionID":7}}
                """
        )
        #expect(try json(CoreEvent.audioActivated) == #"{"kind":"audioActivated"}"#)
    }

    @Test func `what a newer peer says decodes as unknown and stops nobody`() throws {
        #expect(
            try decoded(#"{"kind":"participantSet","participant":{"name":"X"}}"#, as: CoreEvent.self)
                == .unknown("participantSet")
        )
        #expect(try decoded(#"["pushedByCloud"]"#, as: [EndCause].self) == [.unknown])
        let origin = #"{"kind":"telepathy","identifier":"1","name":"Mind","strength":3}"#
        #expect(try decoded(origin, as: Origin.self).kind == .unknown)
    }

    @Test(arguments: [
        #"{"kind":"channelJoined"}"#, #"{"kind":"timeLimitNear","secondsLeft":"10"}"#, #"{}"#, #"[]"#,
        #"{"kind":"transmissionEnded","cause":"released"}"#,
    ])
    func `an event without what belongs to it is an error`(_ text: String) {
        #expect(throws: DecodingError.self) { try decoded(text, as: CoreEvent.self) }
    }

    @Test func `requests and replies read back as they were written`() throws {
        let format = try #require(AudioFormat(rate: 16_000, channels: 2))
        let id = Self.channel.channelID
        try expectRoundTrip(
            CoreInterface.JoinRequest(channelID: id, name: "Ops", application: "Radio", format: format)
        )
        try expectRoundTrip(CoreInterface.JoinRequest(channelID: nil, name: "Ops", application: nil))
        try expectRoundTrip(CoreInterface.JoinReply(channelID: id, token: "secret", format: .standard))
        try expectRoundTrip(CoreInterface.LeaveRequest(channelID: nil))
        try expectRoundTrip(CoreInterface.DescriptorRequest(channelID: id, name: "Tac"))
        try expectRoundTrip(
            CoreInterface.BeginRequest(channelID: nil, source: .userRequest, origin: Self.origin)
        )
        try expectRoundTrip(CoreInterface.BeginReply(transmissionID: TransmissionID(rawValue: 1)))
        try expectRoundTrip(CoreInterface.EndRequest(channelID: nil, origin: Self.origin, cause: .released))
        try expectRoundTrip(CoreInterface.EndRequest(channelID: nil, origin: nil, cause: nil))
        try expectRoundTrip(Refusal(.transmissionNotAllowed, "let go first"))
        let status = Status(
            channel: Self.channel,
            transmission: Self.transmission,
            audio: .active,
            isAudioServerReady: true,
            timeLimit: 60
        )
        try expectRoundTrip(CoreInterface.StatusReply(status: status))
        try expectRoundTrip(CoreInterface.Update(sequence: 1, time: 2, status: status, event: nil))
        try expectRoundTrip(CoreInterface.Update(sequence: 2, time: 3, status: nil, event: .audioActivated))
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
            remark: "its key repeats"
        )
        let event = AccessoryEvent(.ignored, device: device, value: "80", remark: "heartbeat")
        try expectRoundTrip(AccessoryInterface.DevicesReply(devices: [device], isCoreConnected: true))
        try expectRoundTrip(AccessoryInterface.Update(sequence: 0, time: 1, devices: [device], event: nil))
        try expectRoundTrip(AccessoryInterface.Update(sequence: 1, time: 2, devices: nil, event: event))
        try expectRoundTrip(AccessoryInterface.ScanRequest(seconds: 30))
        let discovery = AccessoryInterface.Discovery(
            address: "A4:C1:38:00:00:01",
            name: "PTT-Z01",
            rssi: -60,
            profile: "FFE0",
            isPaired: false
        )
        try expectRoundTrip(AccessoryInterface.ScanReply(device: discovery))
        try expectRoundTrip(AccessoryInterface.AddressRequest(address: "A4:C1:38:00:00:01"))
        try expectRoundTrip(AccessoryInterface.PairReply(device: device))
    }

    @Test func `every word of the enumerations is in the interface text`() {
        expectWords(TransmitSource.self, "Source", in: CoreInterface.description)
        expectWords(OriginKind.self, "OriginKind", in: CoreInterface.description)
        expectWords(EndCause.self, "EndCause", in: CoreInterface.description)
        expectWords(RefusalCode.self, "RefusalCode", in: CoreInterface.description)
        expectWords(AudioState.self, "AudioState", in: CoreInterface.description)
        expectWords(OriginKind.self, "DeviceKind", in: AccessoryInterface.description)
        expectWords(ButtonMode.self, "ButtonMode", in: AccessoryInterface.description)
        expectWords(LinkState.self, "LinkState", in: AccessoryInterface.description)
        expectWords(AccessoryEventKind.self, "EventKind", in: AccessoryInterface.description)
        for event in Self.events.dropLast() {
            #expect(CoreInterface.description.contains(event.kind), "\(event.kind)")
        }
    }

    private func expectWords<Word: WireEnum>(_: Word.Type, _ name: String, in description: String) {
        let text = description.replacing(/\s+/, with: " ")
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(text.contains("type \(name) (\(words))"))
    }

    private func expectRoundTrip<Message: Codable & Equatable>(_ message: Message) throws {
        #expect(try coded(message) == message)
    }

    private func coded<Message: Codable>(_ message: Message) throws -> Message {
        try decoded(json(message), as: Message.self)
    }

    private func decoded<Message: Decodable>(_ text: String, as: Message.Type) throws -> Message {
        try JSONDecoder().decode(Message.self, from: Data(text.utf8))
    }

    private func json(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }
}

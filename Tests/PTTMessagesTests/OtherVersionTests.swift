import PTTMessages
import Testing

/// Messages of peers of an earlier or a later version.
extension MessageTests {
    @Test func `values and events of a newer peer decode as unknown`() throws {
        #expect(
            try decoded(#"{"kind":"floorRequested","floor":{"name":"X"}}"#, as: Tagged<CoreEvent>.self).value
                == .unknown(kind: "floorRequested")
        )
        #expect(try decoded(#"["pushedByCloud"]"#, as: [EndCause].self) == [.unknown])
        let origin = #"{"kind":"telepathy","identifier":"1","name":"Mind","strength":3}"#
        #expect(try decoded(origin, as: Origin.self).kind == .unknown)
    }

    @Test func `a status of an earlier core has the defaults of what it does not know`() throws {
        let earlier = #"{"audio":"inactive","isAudioServerReady":true,"timeLimit":60}"#
        #expect(try decoded(earlier, as: Status.self) == Status(isAudioServerReady: true, timeLimit: 60))
    }

    @Test func `a state of the virtual microphone that a newer core has is unavailable`() throws {
        let newer = try decoded(#"{"state":"borrowed","by":"X"}"#, as: VirtualMicrophone.self)
        #expect(newer.state == .unavailable)
    }

    @Test func `a value of a newer peer decodes as unknown in every enumeration`() throws {
        try expectUnknown(JoinReason.self)
        try expectUnknown(LeaveReason.self)
        try expectUnknown(ServiceStatus.self)
        try expectUnknown(TransmissionMode.self)
        try expectUnknown(Interruption.self)
        try expectUnknown(PushKind.self)
        try expectUnknown(OriginKind.self)
        try expectUnknown(ButtonRole.self)
        try expectUnknown(PushOutcome.self)
        try expectUnknown(PushRejectionCode.self)
        try expectUnknown(RefusalCode.self)
        try expectUnknown(Activation.Kind.self)
        try expectUnknown(ApplicationInterface.PushResult.self)
        let event = #"{"kind":"channelLeft","leaveReason":"tired","new":1}"#
        #expect(
            try decoded(event, as: Tagged<CoreEvent>.self).value
                == .channelLeft(leaveReason: .unknown, explanation: nil)
        )
    }

    private func expectUnknown<Word: WireEnum>(_: Word.Type) throws {
        #expect(try decoded(#"["fromTheFuture"]"#, as: [Word].self) == [.unknown])
        #expect(throws: DecodingError.self) { try decoded("[1]", as: [Word].self) }
    }
}

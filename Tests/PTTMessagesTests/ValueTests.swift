import Foundation
import PTTMessages
import Testing

@Suite struct ValueTests {
    @Test func `a channel identifier made of random bytes is a UUID of version 4`() throws {
        let channelID = ChannelID(randomBytes: (.max, .max))
        #expect(channelID.text == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
        #expect(ChannelID(randomBytes: (0, 0)).text == "00000000-0000-4000-8000-000000000000")
        #expect(UUID(uuidString: channelID.text)?.uuidString == channelID.text)
    }

    @Test func `identifiers are equal if their bytes are, however they look`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let applications = Set([composed, decomposed, composed].map { ApplicationID(rawValue: $0) })
        #expect(applications.count == 2)
        #expect(Set([composed, decomposed, composed].map { PushToken(rawValue: $0) }).count == 2)
        let origins = [composed, decomposed, composed].map {
            Origin(kind: .application, identifier: $0, name: "")
        }
        #expect(Set(origins).count == 2)
        #expect(origins[0] == origins[2] && origins[0] != origins[1])
    }

    @Test func `a channel identifier is the same in either case`() {
        #expect(
            ChannelID("ffffffff-ffff-4fff-bfff-ffffffffffff")?.text == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"
        )
    }

    @Test(arguments: [
        "", "Ops", "ffffffff-ffff-4fff-bfff-fffffffffff", "gfffffff-ffff-4fff-bfff-ffffffffffff",
        "ffffffffffff-4fff-bfff-ffffffffffff-ffff", "ffffffff-ffff-4fff-bfff-fffffffffffé",
    ])
    func `text that is not a UUID is not a channel identifier`(_ text: String) {
        #expect(ChannelID(text) == nil)
    }

    @Test func `every audio format divides into whole packets of 20 ms`() throws {
        for rate in AudioFormat.rates {
            let format = try #require(AudioFormat(rate: rate, channels: 2))
            #expect(format.samplesPerPacket * 50 == rate)
            #expect(format.bytesPerPacket == format.samplesPerPacket * 4)
        }
        #expect(AudioFormat.standard.bytesPerPacket == 1920)
        for (rate, channels) in [(44_100, 1), (0, 1), (-1, 1), (48_000, 0), (48_000, 3), (.max, .max)] {
            #expect(AudioFormat(rate: rate, channels: channels) == nil)
        }
    }

    @Test func `an audio format with an unsupported rate does not decode`() {
        let text = #"{"rate":44100,"channels":1}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AudioFormat.self, from: Data(text.utf8))
        }
    }

    @Test func `a packet header reads back as it was written`() throws {
        let header = AudioPacketHeader(
            sequence: 0x0102_0304_0506_0708,
            timestamp: .init(nanoseconds: 1_500_000_000)
        )
        #expect(header.bytes == [8, 7, 6, 5, 4, 3, 2, 1, 0, 0x2F, 0x68, 0x59, 0, 0, 0, 0])
        #expect(AudioPacketHeader(header.bytes + [1, 2, 3]) == header)
        #expect(AudioPacketHeader(header.bytes.dropLast()) == nil)
        let extremes = AudioPacketHeader([UInt8](repeating: 0xFF, count: 16))
        #expect(extremes?.sequence == .max)
        #expect(extremes?.timestamp.nanoseconds == -1)
    }

    @Test(arguments: [
        (0, "0s"), (1, "0.000000001s"), (1_500_000_000, "1.5s"), (61_000_000_000, "61s"),
        (-500_000_000, "-0.5s"),
        (Int64.min, "-9223372036.854775808s"),
    ])
    func `a time is printed in seconds`(_ nanoseconds: Int64, _ text: String) {
        #expect("\(MonotonicTime(nanoseconds: nanoseconds))" == text)
    }

    @Test func `time and duration add up`() {
        let time = MonotonicTime(nanoseconds: 1_000_000_000)
        #expect((time + .milliseconds(1500)).nanoseconds == 2_500_000_000)
        #expect(time + .milliseconds(1500) - time == .milliseconds(1500))
        #expect(time.microseconds == 1_000_000)
    }

    @Test func `origins are equal by kind and identifier, whatever their name`() {
        let origin = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
        #expect(origin == Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Renamed"))
        #expect(origin != Origin(kind: .bluetoothButton, identifier: "usb-1", name: "Headset"))
        #expect(Set([origin, Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Renamed")]).count == 1)
    }

    @Test
    func
        `accessories press in the channel as its application wants, and without one in a recorded microphone`()
    {
        var status = Status(timeLimit: 60)
        for (microphone, isAccepted) in [
            (VirtualMicrophone.off, false), (.unavailable(reason: "none"), false), (.idle, false),
            (.recorded(by: ["parecord"]), true),
        ] {
            status.apply(.virtualMicrophoneChanged(virtualMicrophone: microphone))
            #expect(status.acceptsAccessoryPresses == isAccepted, "\(microphone)")
        }
        status.apply(.channelJoined(channel: MessageTests.channel, joinReason: .developerRequest))
        status.apply(.virtualMicrophoneChanged(virtualMicrophone: .idle))
        #expect(status.acceptsAccessoryPresses)
        status.apply(.virtualMicrophoneChanged(virtualMicrophone: .recorded(by: ["parecord"])))
        status.apply(.accessoryEventsChanged(isEnabled: false))
        #expect(!status.acceptsAccessoryPresses)
        status.apply(.channelLeft(leaveReason: .userRequest, explanation: nil))
        #expect(status.acceptsAccessoryPresses)
    }

    @Test func `the events of a transmission, applied to a status, end in the same status`() {
        let start = Status(channel: MessageTests.channel, isAudioServerReady: true, timeLimit: 60)
        var status = start
        status.apply(.transmissionBegan(transmission: MessageTests.transmission))
        status.apply(.audioActivating)
        status.apply(.audioActivated)
        #expect(status.transmission == MessageTests.transmission)
        #expect(status.audio == .active)
        for event in [CoreEvent.timeLimitNear(secondsLeft: 10), .unknown(kind: "new")] {
            let before = status
            status.apply(event)
            #expect(status == before)
        }
        status.apply(
            .transmissionEnded(
                transmission: MessageTests.transmission,
                cause: .released,
                endedBy: .handsfreeButton
            )
        )
        status.apply(.audioDeactivated)
        #expect(status == start)
        status.apply(.descriptorChanged(name: "Tac", image: MessageTests.image))
        status.apply(.applicationDetached)
        #expect(status.channel?.name == "Tac")
        #expect(status.channel?.application == nil)
        status.apply(.audioServerLost)
        status.apply(.channelLeft(leaveReason: .userRequest, explanation: nil))
        #expect(status == Status(timeLimit: 60))
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
}

import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct FloorControlTests {
    // MARK: We ask

    @Test func `what is said waits until the lowest session of our programs has granted the floor`()
        throws
    {
        var test = try GrantedFloor.joined()
        let effects = test.session.transmissionBegan(test.now)
        #expect(effects.contains(.note("4 is asked for the floor", about: .floor)))
        let asked = try GrantedFloor.floor(effects)
        #expect(asked.map(\.to) == [4] && asked.map(\.1) == [FloorMessage(kind: .request, sequence: 1)])
        for _ in 0..<5 {
            #expect(try GrantedFloor.sent(test.session.say(TestSession.packet, test.now)) == 0)
            #expect(try GrantedFloor.sent(test.run(.milliseconds(20)).map(\.effect)) == 0)
        }
        #expect(!test.session.hasFloor)
        #expect(try GrantedFloor.sent(test.say(GrantedFloor.says(4, .granted))) == 5)
        #expect(test.session.hasFloor)
        #expect(try GrantedFloor.sent(test.session.say(TestSession.packet, test.now)) == 1)
    }

    @Test func `a denied press ends, with who has the floor, and nothing of it is sent`() throws {
        var test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        #expect(test.say(GrantedFloor.says(4, .denied, holder: 20)) == [.denied(session: 20)])
        _ = test.session.transmissionEnded()
        #expect(try GrantedFloor.sent(test.run(.seconds(1)).map(\.effect)) == 0)
    }

    @Test func `who gives way while waiting for the answer sends nothing, whatever that is`() throws {
        var test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        test.session.withdraw()
        #expect(test.say(GrantedFloor.says(4, .granted)) == [])
        #expect(try GrantedFloor.sent(test.run(.seconds(1)).map(\.effect)) == 0)
    }

    @Test func `a short press is sent when it is granted after its end`() throws {
        var test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        _ = test.session.transmissionEnded()
        _ = test.session.say(TestSession.packet, test.now)
        #expect(try GrantedFloor.sent(test.say(GrantedFloor.says(4, .granted))) == 2)
    }

    @Test func `without an answer it is sent after 400 milliseconds, and the next one is asked`()
        throws
    {
        var test = try GrantedFloor.joined([4, 6, 12])
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        let begin = test.now
        let first = test.run(.seconds(1)).first { if case .send = $0.effect { true } else { false } }
        #expect(first?.at == begin + .milliseconds(400))
        #expect(test.session.hasFloor)
        // Too late.
        #expect(test.say(GrantedFloor.says(4, .denied, holder: 20)) == [])
        _ = test.session.transmissionEnded()
        #expect(try GrantedFloor.floor(test.session.transmissionBegan(test.now)).map(\.to) == [6])
        _ = test.say(GrantedFloor.says(6, .granted, 2))
        _ = test.session.transmissionEnded()
        test.now += FloorControl.distrust
        #expect(try GrantedFloor.floor(test.session.transmissionBegan(test.now)).map(\.to) == [4])
    }

    @Test func `an arbitrator that leaves is waited for no longer`() throws {
        var test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        #expect(try GrantedFloor.sent(test.say(.userRemove(.with { $0.session = 4 }))) == 1)
    }

    @Test func `the lowest session asks nobody, and neither does an emergency or another rule`()
        throws
    {
        var test = try GrantedFloor.joined([12])
        #expect(
            try GrantedFloor.floor(test.session.transmissionBegan(test.now)).isEmpty
                && test.session.hasFloor
        )
        test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        #expect(
            try GrantedFloor.floor(test.session.transmissionBegan(isEmergency: true, test.now)).isEmpty
        )
        #expect(test.session.hasFloor)
        test = try GrantedFloor.joined()
        _ = test.say(
            .channelState(
                .with {
                    $0.channelID = 3
                    $0.description_p = ""
                }
            )
        )
        #expect(
            try GrantedFloor.floor(test.session.transmissionBegan(test.now)).isEmpty
                && test.session.hasFloor
        )
    }

    @Test func `those in other channels, and other programs, are not asked`() throws {
        var test = try GrantedFloor.joined([12])
        _ = test.say(GrantedFloor.person(5, channel: 0), GrantedFloor.person(6, isOurs: false))
        #expect(
            try GrantedFloor.floor(test.session.transmissionBegan(test.now)).isEmpty
                && test.session.hasFloor
        )
    }

    @Test func `a server before 1·4 passes no messages, so that who is heard first has the floor`()
        throws
    {
        var test = try GrantedFloor.joined(version: 1 << 16 | 3 << 8 | 4)
        #expect(test.session.rule == .first)
        #expect(
            try GrantedFloor.floor(test.session.transmissionBegan(test.now)).isEmpty
                && test.session.hasFloor
        )
    }

    @Test func `a connection that is made again in mid-sentence asks again`() throws {
        var test = try GrantedFloor.joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.say(GrantedFloor.says(4, .granted))
        test.now += .seconds(60)
        _ = test.session.lost("gone", test.now)
        _ = test.session.timer(test.now)
        _ = test.synchronise()
        let description = WireChannelState.with {
            $0.channelID = 3
            $0.description_p = "push-to-talk: granted-floor"
        }
        _ = test.say(.channelState(description), GrantedFloor.person(4))
        #expect(try GrantedFloor.floor(test.enter()).map(\.to) == [4])
    }

    // MARK: Others ask

    @Test
    func
        `of two who press at once the first one is granted the floor, and the other is told who has it`()
        throws
    {
        var test = try GrantedFloor.joined([12, 13])
        let granted = FloorMessage(kind: .granted, sequence: 1)
        let denied = FloorMessage(kind: .denied, sequence: 7, holder: 12)
        #expect(try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1) == [granted])
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(13, .request, 7))).map(\.1) == [denied]
        )
        // We are one of them, too.
        #expect(test.session.transmissionBegan(test.now).contains(.denied(session: 12)))
        _ = test.session.transmissionEnded()
        _ = test.say(GrantedFloor.voice(12))
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(13, .request, 7))).map(\.1) == [denied]
        )
        _ = test.run(Floor.silence)
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(13, .request, 8))).map(\.1.kind) == [
                .granted
            ]
        )
    }

    @Test func `while we or another program talk, others are denied`() throws {
        var test = try GrantedFloor.joined([12])
        _ = test.say(GrantedFloor.voice(20))
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1.holder) == [20]
        )
        _ = test.run(.seconds(1))
        _ = test.session.transmissionBegan(test.now)
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1.holder) == [9]
        )
        _ = test.session.transmissionEnded()
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1.kind) == [.granted]
        )
    }

    @Test func `who is granted the floor and is not heard has it for three seconds, once`() throws {
        var test = try GrantedFloor.joined([12, 13])
        _ = test.say(GrantedFloor.says(12, .request))
        _ = test.run(.milliseconds(2999))
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(13, .request))).map(\.1.kind) == [.denied]
        )
        // To ask again does not prolong it.
        _ = test.say(GrantedFloor.says(12, .request))
        _ = test.run(.milliseconds(1))
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1.kind) == [.granted]
        )
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(13, .request))).map(\.1.kind) == [.granted]
        )
        _ = test.say(.userRemove(.with { $0.session = 13 }))
        #expect(
            try GrantedFloor.floor(test.say(GrantedFloor.says(12, .request))).map(\.1.kind) == [.granted]
        )
    }
}

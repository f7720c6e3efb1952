import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct EmergencyTests {
    private func text(_ effects: [ServerSession.Effect]) throws -> [String] {
        try TestSession.messages(effects).compactMap {
            if case .textMessage(let message) = $0 { message.message } else { nil }
        }
    }

    /// Eve, with session 4, is in the channel.
    private func joined() throws -> TestSession {
        var test = try TestSession()
        test.join()
        _ = test.say(
            .userState(
                .with {
                    $0.session = 4
                    $0.name = "eve"
                }
            )
        )
        return test
    }

    private func write(_ text: String, _ actor: UInt32) -> ControlMessage {
        .textMessage(
            .with {
                $0.actor = actor
                $0.channelID = [3]
                $0.message = text
            }
        )
    }

    @Test func `an emergency is announced to the channel, and its end`() throws {
        var test = try joined()
        let began = test.session.transmissionBegan(isEmergency: true, test.now)
        #expect(try text(began) == ["Emergency call"])
        let message = try TestSession.messages(began).first
        #expect(
            message
                == .textMessage(
                    .with {
                        $0.channelID = [3]
                        $0.message = "Emergency call"
                    }
                )
        )
        #expect(try text(test.session.transmissionEnded()) == ["End of the emergency call"])
        #expect(try text(test.session.transmissionBegan(test.now)) == [])
        #expect(try text(test.session.transmissionEnded()) == [])
    }

    @Test func `an emergency that begins before we are in the channel is announced then`() throws {
        var test = try TestSession()
        _ = test.synchronise()
        #expect(try text(test.session.transmissionBegan(isEmergency: true, test.now)) == [])
        #expect(try text(test.enter()) == ["Emergency call"])
    }

    @Test func `an emergency is announced in the channel to which an operator has moved us`() throws {
        func moved(_ channel: UInt32) -> ControlMessage {
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = channel
                }
            )
        }
        func channels(_ effects: [ServerSession.Effect]) throws -> [UInt32] {
            try TestSession.messages(effects).flatMap {
                if case .textMessage(let message) = $0 { message.channelID } else { [] as [UInt32] }
            }
        }
        var test = try joined()
        #expect(try channels(test.say(moved(0))) == [])
        #expect(try channels(test.session.transmissionBegan(isEmergency: true, test.now)) == [0])
        let muted = WireUserState.with {
            $0.session = 9
            $0.mute = true
        }
        #expect(try channels(test.say(.userState(muted))) == [])
        #expect(try channels(test.say(moved(3))) == [3])
        #expect(try channels(test.session.transmissionEnded()) == [3])
    }

    @Test func `an emergency of somebody lasts until its end, or until that person is elsewhere or gone`()
        throws
    {
        var test = try joined()
        #expect(test.say(write("Emergency call", 4)) == [.emergency(session: 4)])
        #expect(test.session.isEmergency(4))
        #expect(test.say(write("Emergency call", 4)) == [])
        #expect(test.say(write("End of the emergency call", 4)) == [.emergency(session: 4)])
        #expect(!test.session.isEmergency(4))
        _ = test.say(write("Emergency call", 4))
        let moved = WireUserState.with {
            $0.session = 4
            $0.channelID = 5
        }
        _ = test.say(.userState(moved))
        #expect(!test.session.isEmergency(4))
        _ = test.say(write("Emergency call", 4))
        _ = test.say(.userRemove(.with { $0.session = 4 }))
        #expect(!test.session.isEmergency(4))
    }

    @Test func `the name of somebody with an emergency is shown in the length that pttd accepts`() throws {
        var test = try joined()
        #expect(test.session.shownName(of: 4) == "eve" && test.session.shownName(of: 77) == "somebody")
        let named = WireUserState.with {
            $0.session = 4
            $0.name = String(repeating: "é", count: 128)
        }
        _ = test.say(.userState(named))
        #expect(test.session.shownName(of: 4) == named.name)
        _ = test.say(write("Emergency call", 4))
        let shown = "EMERGENCY: " + String(repeating: "é", count: 122)
        #expect(test.session.shownName(of: 4) == shown && shown.utf8.count == 255)
    }

    @Test func `an emergency ends with its last packet when the server drops the text`() throws {
        var test = try joined()
        _ = test.say(write("Emergency call", 4))
        // The older format: Opus, the session, the number, the length with the mark of the last one.
        #expect(test.say(.tunnel([0x80, 4, 0, 1, 7])).count == 1)
        #expect(test.session.isEmergency(4))
        let effects = test.say(.tunnel([0x80, 4, 2, 0xa0, 1, 7]))
        #expect(effects.count == 2 && effects.last == .emergency(session: 4))
        #expect(!test.session.isEmergency(4))
    }

    @Test func `an emergency whose end is lost is over when that person is heard again later`() throws {
        let voice = ControlMessage.tunnel([0x80, 4, 0, 1, 7])
        var test = try joined()
        _ = test.say(write("Emergency call", 4))
        // A microphone may take long to open, and voice to find another way.
        for pause in [Duration.seconds(20), .milliseconds(20), .milliseconds(4999)] {
            test.now += pause
            #expect(test.say(voice).count == 1 && test.session.isEmergency(4))
        }
        // Another emergency.
        test.now += .seconds(5)
        #expect(test.say(write("Emergency call", 4)) == [])
        #expect(test.say(voice).count == 1 && test.session.isEmergency(4))
        test.now += .seconds(5)
        let effects = test.say(voice)
        #expect(effects.count == 2 && effects.first == .emergency(session: 4))
        #expect(!test.session.isEmergency(4))
    }

    @Test func `other texts, and those of strangers or in our own name, are none`() throws {
        var test = try joined()
        for (words, actor) in [("Hello", 4), ("Emergency call", 77), ("Emergency call", 9)]
            as [(String, UInt32)]
        {
            #expect(test.say(write(words, actor)) == [])
        }
        #expect(!test.session.isEmergency(4) && !test.session.isEmergency(77) && !test.session.isEmergency(9))
    }

    @Test func `an emergency takes the floor at any time, also ours, and no other one takes it back`() {
        func hear(_ floor: inout Floor, _ session: UInt32, _ emergencies: Set<UInt32>, at now: Duration)
            -> [Floor.Effect]
        {
            func sender(_ session: UInt32) -> Floor.Sender {
                Floor.Sender(session: session, isOurs: true, isEmergency: emergencies.contains(session))
            }
            return floor.heard(sender(session), isLast: false, rival: sender, own: sender(50), now)
        }
        var floor = Floor()
        _ = hear(&floor, 40, [], at: .zero)
        _ = hear(&floor, 40, [], at: .seconds(5))
        #expect(hear(&floor, 60, [], at: .seconds(5)) == [])
        #expect(
            hear(&floor, 60, [60], at: .seconds(5)) == [
                .drop(session: 40), .taken(session: 60), .play(session: 60),
            ]
        )
        #expect(hear(&floor, 40, [60], at: .milliseconds(5020)) == [])
        // Of two emergencies the first, as of two others.
        _ = hear(&floor, 60, [60], at: .seconds(9))
        #expect(hear(&floor, 40, [40, 60], at: .seconds(9)) == [])

        var own = Floor()
        own.transmissionBegan()
        own.sent(.zero)
        #expect(hear(&own, 60, [], at: .seconds(5)) == [])
        #expect(hear(&own, 60, [50, 60], at: .seconds(5)) == [])
        #expect(hear(&own, 60, [60], at: .seconds(5)) == [.giveWay(session: 60), .keep(session: 60)])
    }
}

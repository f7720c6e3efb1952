import SwiftProtobuf
import Testing

@testable import MumbleCore

/// From one channel to another one of the same server.
@Suite struct StepTests {
    /// In the channel Ops, whose number is 3; there is Base, with the number 4, too.
    private func joined() throws -> TestSession {
        var test = try TestSession()
        test.join()
        _ = test.say(
            .channelState(
                .with {
                    $0.channelID = 4
                    $0.parent = 0
                    $0.name = "Base"
                }
            )
        )
        return test
    }

    private func step(_ test: inout TestSession, to path: String) throws -> [ServerSession.Effect]? {
        test.session.step(to: try ServerAddress("mumble://ann@host/\(path)"), password: nil, test.now)
    }

    private func moved(_ test: inout TestSession, to channel: UInt32) -> [ServerSession.Effect] {
        test.say(
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = channel
                }
            )
        )
    }

    /// Where the server is asked to move us.
    private func target(_ effects: [ServerSession.Effect]?) throws -> UInt32? {
        for case .userState(let state) in try TestSession.messages(effects ?? []) where state.hasChannelID {
            return state.channelID
        }
        return nil
    }

    private func isTunnelled(_ effects: [ServerSession.Effect]) throws -> Bool {
        try TestSession.messages(effects).contains { if case .tunnel = $0 { true } else { false } }
    }

    private func voice(of session: UInt32) -> ControlMessage {
        // The older format: Opus, the session, the number, the length with the mark of the last one.
        .tunnel([0x80, UInt8(session), 0, 1, 7])
    }

    @Test func `a step on the same server needs no other connection`() throws {
        var test = try joined()
        let effects = try step(&test, to: "Base")
        #expect(try target(effects) == 4)
        #expect(effects?.contains(.connect) == false && effects?.contains(.disconnect) == false)
        #expect(moved(&test, to: 4) == [.entered(channel: "Base"), .mayTalk(true), .rule(.first)])
        #expect(test.session.isJoined && test.session.stepLimit == nil)
    }

    @Test func `a server whose name is written in another case is the same one`() throws {
        var test = try joined()
        let base = try ServerAddress("mumble://ann@Host/Base")
        #expect(try target(test.session.step(to: base, password: nil, test.now)) == 4)
    }

    @Test func `another server, user or password needs another one`() throws {
        for text in ["mumble://ann@other/Base", "mumble://eve@host/Base", "mumble://ann@host:1/Base"] {
            var test = try joined()
            #expect(test.session.step(to: try ServerAddress(text), password: nil, test.now) == nil)
            #expect(test.session.address.path == ["Ops"])
        }
        var test = try joined()
        let base = try ServerAddress("mumble://ann@host/Base")
        #expect(test.session.step(to: base, password: "secret", test.now) == nil)
    }

    @Test func `what is said after a step is heard in the new channel only`() throws {
        var test = try joined()
        _ = try step(&test, to: "Base")
        _ = test.session.transmissionBegan(test.now)
        test.now += .milliseconds(20)
        #expect(try !isTunnelled(test.session.say(TestSession.packet, test.now)))
        // The answer to a ping from before.
        #expect(try !isTunnelled(test.say(.ping(WirePing()))))
        #expect(try isTunnelled(moved(&test, to: 4)))
    }

    @Test func `the rest of what was said before a step is not sent`() throws {
        var test = try joined()
        _ = test.session.networkChanged(.unknown, test.now)
        _ = test.run(.milliseconds(200))
        #expect(try !isTunnelled(test.session.say(TestSession.packet, test.now)))
        _ = try step(&test, to: "Base")
        #expect(try !isTunnelled(moved(&test, to: 4)))
    }

    @Test func `who talks in the old channel is not heard after a step`() throws {
        var test = try joined()
        #expect(test.say(voice(of: 5)).count == 1)
        _ = try step(&test, to: "Base")
        #expect(test.say(voice(of: 5)) == [])
        _ = moved(&test, to: 4)
        #expect(test.say(voice(of: 6)).count == 1)
    }

    @Test func `who talks where the server has put us is not heard on the way to the channel`() throws {
        var test = try TestSession()
        _ = test.synchronise()
        #expect(test.say(voice(of: 5)) == [])
        _ = test.enter()
        #expect(test.say(voice(of: 5)).count == 1)
    }

    @Test func `a step to a channel that is not there ends it with the names of those that are`() throws {
        var test = try joined()
        let expected = "host:64738 has no channel Nowhere; it has Base, Ops"
        #expect(try step(&test, to: "Nowhere") == [.disconnect, .ended(expected)])
    }

    @Test func `a step to a channel that may not be entered ends it`() throws {
        var test = try joined()
        _ = try step(&test, to: "Base")
        let effects = test.say(
            .permissionDenied(
                .with {
                    $0.channelID = 4
                    $0.reason = "members only"
                }
            )
        )
        #expect(
            effects == [
                .disconnect,
                .ended("ann may not enter Base: host:64738 denies a permission: members only"),
            ]
        )
    }

    @Test func `of two quick steps the second counts`() throws {
        var test = try joined()
        _ = try step(&test, to: "Base")
        #expect(try target(step(&test, to: "Ops")) == 3)
        #expect(moved(&test, to: 4) == [])
        #expect(moved(&test, to: 3) == [.entered(channel: "Ops"), .mayTalk(true), .rule(.first)])

        _ = try step(&test, to: "Base")
        _ = try step(&test, to: "Ops")
        // The first one is denied, and a server does not answer who wants to go where it is.
        let effects = test.say(.permissionDenied(.with { $0.channelID = 4 }))
        #expect(effects == [.entered(channel: "Ops"), .mayTalk(true), .rule(.first)])
    }

    @Test func `a step to where the server has put us leads back there`() throws {
        var test = try joined()
        #expect(try target(step(&test, to: "")) == 0)
        #expect(moved(&test, to: 0) == [.entered(channel: ""), .mayTalk(true), .rule(.first)])
        #expect(try step(&test, to: "") == [.entered(channel: ""), .mayTalk(true), .rule(.first)])
    }

    @Test func `a step before the server has told everything is taken with it`() throws {
        var test = try TestSession("mumble://ann@host/Nowhere")
        #expect(try step(&test, to: "Ops") == [])
        #expect(try target(test.synchronise()) == 3)
    }

    @Test func `a server that does not answer a step is left`() throws {
        var test = try joined()
        test.now += .seconds(60)
        _ = test.say(.ping(WirePing()))
        _ = try step(&test, to: "Base")
        let effects = test.run(.seconds(11))
        #expect(effects.contains { $0.effect == .note("host:64738 does not answer") })
        #expect(effects.contains { $0.effect == .connect })
    }

    @Test func `a name in two cases is no reason to be banned`() throws {
        var session = ServerSession(try ServerAddress("mumble://ann@host/Ops"))
        for index in 0..<ConnectionLimit.count {
            let address = try ServerAddress("mumble://ann@\(index % 2 == 0 ? "host" : "HOST")/Ops")
            session = ServerSession(address, after: session)
            #expect(session.start(.zero) == [.connect])
            _ = session.connected(.zero)
        }
        session = ServerSession(try ServerAddress("mumble://ann@host/Ops"), after: session)
        _ = session.start(.zero)
        #expect(session.deadline == ConnectionLimit.period)
    }

    @Test func `steps between servers are no reason to be banned by one`() throws {
        let addresses = try ["one", "two"].map { try ServerAddress("mumble://ann@\($0)/Ops") }
        var session = ServerSession(addresses[0])
        var now = Duration.seconds(1000)
        var connections = 0
        for index in 0..<60 {
            session = ServerSession(addresses[index % 2], after: session)
            if session.start(now) == [.connect] {
                connections += index % 2
                _ = session.connected(now)
            } else {
                #expect(session.deadline == .seconds(1000) + ConnectionLimit.period + .seconds(index % 2))
            }
            now += .seconds(1)
        }
        #expect(connections == ConnectionLimit.count)
    }
}

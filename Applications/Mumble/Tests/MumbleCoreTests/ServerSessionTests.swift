import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct ServerSessionTests {
    private func isReady(_ effects: [ServerSession.Effect]) -> Bool { effects.contains(.status(.ready)) }

    @Test func `version and name are said at once, and Opus is claimed`() throws {
        var session = ServerSession(try ServerAddress("mumble://ann@host/Ops"), password: "secret")
        #expect(session.start(.zero) == [.connect])
        let messages = try TestSession.messages(session.connected(.zero))
        guard case .version = messages.first, case .authenticate(let message) = messages.last else {
            Issue.record("\(messages)")
            return
        }
        #expect(message.username == "ann" && message.password == "secret" && message.opus)
    }

    @Test func `the channel is entered before anything is ready`() throws {
        var test = try TestSession()
        let move = test.synchronise()
        #expect(!isReady(move))
        guard case .userState(let state) = try TestSession.messages(move).first else {
            Issue.record("\(move)")
            return
        }
        #expect(state.channelID == 3)
        let entered = test.enter()
        #expect(isReady(entered) && entered.contains(.entered(channel: "Ops")))
        #expect(entered.contains(.mayTalk(true)))
    }

    @Test func `a channel that is not there ends it with the names of those that are`() throws {
        var test = try TestSession("mumble://ann@host/Nowhere")
        #expect(
            test.synchronise() == [.disconnect, .ended("host:64738 has no channel Nowhere; it has Ops")]
        )
        #expect(test.session.deadline == nil)
    }

    @Test func `who may not enter the channel is told`() throws {
        var test = try TestSession()
        _ = test.synchronise()
        let effects = test.say(.permissionDenied(.with { $0.reason = "members only" }))
        #expect(
            effects == [
                .disconnect,
                .ended("ann may not enter Ops: host:64738 denies a permission: members only"),
            ]
        )
    }

    @Test func `who is suppressed may not talk, and may again`() throws {
        var test = try TestSession()
        test.join()
        for isSuppressed in [true, false] {
            let effects = test.say(
                .userState(
                    .with {
                        $0.session = 9
                        $0.suppress = isSuppressed
                    }
                )
            )
            #expect(effects.contains(.mayTalk(!isSuppressed)))
        }
    }

    @Test func `what the server repeats of our own is no other channel`() throws {
        var test = try TestSession()
        test.join()
        let effects = test.say(
            .userState(
                .with {
                    $0.session = 9
                    $0.comment = ServerSession.comment
                }
            )
        )
        #expect(effects == [])
    }

    @Test func `who is moved to another channel sees its name`() throws {
        var test = try TestSession()
        test.join()
        let effects = test.say(
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = 0
                }
            )
        )
        #expect(effects.first == .entered(channel: ""))
    }

    @Test func `a name that is in use is tried again, and a wrong password is not`() throws {
        var test = try TestSession()
        _ = test.session.connected(test.now)
        let inUse = test.say(.reject(.with { $0.type = 5 }))
        #expect(inUse.contains(.status(.connecting)))
        #expect(test.session.deadline == test.now)

        test = try TestSession()
        _ = test.session.connected(test.now)
        let wrong = test.say(
            .reject(
                .with {
                    $0.type = 4
                    $0.reason = "wrong password"
                }
            )
        )
        #expect(wrong == [.disconnect, .ended("host:64738 does not let ann in: wrong password")])
    }

    @Test func `who is removed does not come back`() throws {
        var test = try TestSession()
        test.join()
        let effects = test.say(
            .userRemove(
                .with {
                    $0.session = 9
                    $0.reason = "enough"
                }
            )
        )
        #expect(effects == [.disconnect, .ended("host:64738 has removed ann: enough")])
        #expect(test.session.deadline == nil)
    }

    @Test func `who talks when there is no further attempt is told that nothing is sent`() throws {
        var test = try TestSession()
        test.join()
        _ = test.say(.userRemove(.with { $0.session = 9 }))
        _ = test.session.transmissionBegan(test.now)
        let effects = test.session.say(TestSession.packet, test.now)
        #expect(effects == [.unsent("host:64738 has removed ann")])
        #expect(test.session.deadline == nil)
    }

    @Test func `a loss after a steady time is bridged, and one right after it is not`() throws {
        var test = try TestSession()
        test.join()
        test.now += .seconds(60)
        #expect(test.session.lost("gone", test.now) == [.note("gone")])
        #expect(test.session.timer(test.now) == [.connect])
        test.join()
        #expect(test.session.lost("gone", test.now) == [.note("gone"), .status(.connecting)])
    }

    @Test func `a server that says nothing is given up in each step`() throws {
        for steps in 0..<3 {
            var test = try TestSession()
            if steps > 0 { _ = test.session.connected(test.now) }
            if steps > 1 { _ = test.synchronise() }
            let first = try #require(test.run(.seconds(10)).first)
            #expect(first.effect == .disconnect)
        }
    }

    @Test func `what is not Mumble's ends the connection, and says what to do`() throws {
        var test = try TestSession()
        _ = test.session.connected(test.now)
        let effects = test.session.received(Array("HTTP/1.1 400 Bad Request\r\n".utf8), test.now)
        let reason = "what host:64738 sends is not Mumble's (a message of 1414541105 bytes)"
        let cure = "give the port of a Mumble server in the address, as host:64738"
        #expect(effects == [.disconnect, .note("\(reason): \(cure)"), .status(.connecting)])
        #expect(
            test.session.findings().flatMap(\.lines) == ["failure  server: \(reason)", "         → \(cure)"]
        )
        #expect("\(MessageSplitter.Failure.damaged(type: 9))" == "a message of type 9 that cannot be read")
    }

    @Test func `where no encryption can be had, the port is to be another one`() throws {
        var test = try TestSession()
        _ = test.session.connected(test.now)
        let cure = "give the port of a Mumble server in the address, as host:64738"
        let effects = test.session.lost("no TLS", by: .notMumble, test.now)
        #expect(effects == [.note("no TLS: \(cure)"), .status(.connecting)])
        #expect(test.session.findings().first?.cure == .advice(cure))
    }

    @Test func `random messages neither crash nor fill the memory`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var test = try TestSession()
            if Bool.random(using: &random) { test.join() } else { _ = test.session.connected(test.now) }
            for _ in 0..<4 {
                let type = UInt16.random(in: 0...26, using: &random)
                let count = Int.random(in: 0...30, using: &random)
                let content = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                let bytes = [UInt8(0), UInt8(type), 0, 0, 0, UInt8(count)] + content
                _ = test.session.received(bytes, test.now)
            }
        }
    }

    @Test func `of a flood of people and channels a bounded number is kept`() throws {
        var directory = Directory()
        for number in UInt32(0)..<5000 {
            directory.update(.with { $0.channelID = number } as WireChannelState)
            directory.update(
                .with {
                    $0.session = number
                    $0.name = "a" + String(repeating: "\u{301}", count: 1000)
                } as WireUserState
            )
        }
        #expect(directory.channels.count == Directory.limit && directory.people.count == Directory.limit)
        // One character, of which half a code is left out.
        #expect(directory.people[0]?.name == "a" + String(repeating: "\u{301}", count: 127))
    }

    @Test func `a channel is found by its path, and a loop of channels ends`() {
        var directory = Directory()
        for (number, parent, name) in [(1, 0, "A"), (2, 1, "B"), (3, 0, "B"), (4, 4, "C")]
            as [(UInt32, UInt32, String)]
        {
            directory.update(
                .with {
                    $0.channelID = number
                    $0.parent = parent
                    $0.name = name
                } as WireChannelState
            )
        }
        #expect(directory.channel(at: []) == 0)
        #expect(directory.channel(at: ["A", "B"]) == 2)
        #expect(directory.channel(at: ["B"]) == 3)
        #expect(directory.channel(at: ["C"]) == nil && directory.channel(at: ["A", "X", "B"]) == nil)
    }
}

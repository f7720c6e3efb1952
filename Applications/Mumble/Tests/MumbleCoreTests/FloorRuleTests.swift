import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

/// The rule for which the description of a channel asks.
@Suite struct FloorRuleTests {
    private func describe(_ description: String, _ channel: UInt32 = 3) -> ControlMessage {
        .channelState(
            .with {
                $0.channelID = channel
                $0.description_p = description
            }
        )
    }

    private func hash(_ channel: UInt32 = 3) -> ControlMessage {
        .channelState(
            .with {
                $0.channelID = channel
                $0.descriptionHash = Data([1, 2, 3])
            }
        )
    }

    private func requests(_ effects: [ServerSession.Effect]) throws -> [[UInt32]] {
        try TestSession.messages(effects).compactMap {
            if case .requestBlob(let message) = $0 { message.channelDescription } else { nil }
        }
    }

    @Test func `a line of the description asks for full duplex, in text and in HTML`() {
        for text in [
            "push-to-talk: full-duplex", "Ops\nPush-to-Talk:full-duplex\n",
            "<p>push-to-talk:  FULL-DUPLEX</p>",
            "Ops<br />push-to-talk: full-duplex<br />",
        ] {
            #expect(FloorRule(description: text) == .fullDuplex, "\(text)")
        }
        for text in ["", "full-duplex", "push-to-talk:", "push-to-talk: fast", "push-to-talk: \nfull-duplex"]
        {
            #expect(FloorRule(description: text) == .first, "\(text)")
        }
    }

    @Test func `what is behind the first part of a long description is not looked at`() {
        let padding = String(repeating: "a\u{301}", count: 100_000)
        #expect(FloorRule(description: padding + "push-to-talk: full-duplex") == .first)
        #expect(FloorRule(description: "push-to-talk: full-duplex" + padding) == .fullDuplex)
    }

    @Test func `a description that comes while we are in the channel counts, and only that one's`() throws {
        var test = try TestSession()
        test.join()
        #expect(test.say(describe("push-to-talk: full-duplex", 0)) == [])
        #expect(test.say(describe("push-to-talk: full-duplex")) == [.rule(.fullDuplex)])
        #expect(test.say(describe("")) == [.rule(.first)])
        #expect(test.say(.channelState(.with { $0.channelID = 3 })) == [])
    }

    @Test func `a long description is asked for, once for each hash and only of our channel`() throws {
        var test = try TestSession()
        _ = test.synchronise()
        #expect(test.say(hash(), hash(0)) == [])
        let entered = test.enter()
        #expect(try requests(entered) == [[3]] && entered.contains(.rule(.first)))
        #expect(test.say(describe("push-to-talk: full-duplex")) == [.rule(.fullDuplex)])
        // Until the other one is here, this one counts.
        let effects = test.say(hash())
        #expect(try requests(effects) == [[3]] && effects.first == .rule(.fullDuplex))
        #expect(try requests(test.say(hash(0))) == [])
    }

    @Test func `who is moved has the rule of that channel`() throws {
        var test = try TestSession()
        test.join()
        _ = test.say(describe("push-to-talk: full-duplex", 0))
        let effects = test.say(
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = 0
                }
            )
        )
        #expect(effects.contains(.rule(.fullDuplex)))
    }

    @Test func `a message that is too long is passed over, and the next one is read`() throws {
        for isAtOnce in [true, false] {
            var test = try TestSession()
            test.join()
            let size = 1024 * 1024
            let length = withUnsafeBytes(of: UInt32(size).bigEndian) { Array($0) }
            let long = [0, 7] + length + [UInt8](repeating: 10, count: size)
            let bytes = long + describe("push-to-talk: full-duplex").encoded
            let pieces =
                isAtOnce
                ? [bytes[...]]
                : stride(from: 0, to: bytes.count, by: 1000).map {
                    bytes[$0..<min($0 + 1000, bytes.count)]
                }
            let effects = pieces.flatMap { test.session.received($0, test.now) }
            #expect(effects == [.rule(.fullDuplex)])
        }
    }
}

import Testing

@testable import MumbleCore

/// One begins when another ends.
@Suite struct AdjacentTalkerTests {
    private func hear(_ floor: inout Floor, _ session: UInt32, isLast: Bool = false, at milliseconds: Int)
        -> [Floor.Effect]
    {
        func sender(_ session: UInt32) -> Floor.Sender { Floor.Sender(session: session, isOurs: false) }
        let now = Duration.milliseconds(milliseconds)
        return floor.heard(sender(session), isLast: isLast, rival: sender, own: sender(50), now)
    }

    /// 1 has the floor, and was heard last at 100 milliseconds.
    private func taken() -> Floor {
        var floor = Floor()
        _ = hear(&floor, 1, at: 0)
        _ = hear(&floor, 1, at: 100)
        return floor
    }

    @Test func `who begins while the last words of another are played is taken at once, and both are played`()
    {
        var floor = taken()
        #expect(hear(&floor, 1, isLast: true, at: 120) == [.play(session: 1), .finish(session: 1)])
        #expect(hear(&floor, 2, at: 121) == [.taken(session: 2), .play(session: 2)])
        #expect(hear(&floor, 2, at: 141) == [.play(session: 2)])
        #expect(floor.played(session: 1) == [])
        #expect(floor.state == .taken(session: 2))
        #expect(hear(&floor, 2, isLast: true, at: 161) == [.play(session: 2), .finish(session: 2)])
        #expect(floor.played(session: 2) == [.idle])
        #expect(floor.state == .idle)
    }

    @Test func `who ended and begins again while another has the floor is not heard`() {
        var floor = taken()
        _ = hear(&floor, 1, isLast: true, at: 120)
        _ = hear(&floor, 2, at: 121)
        #expect(hear(&floor, 1, at: 140) == [])
        #expect(hear(&floor, 1, at: 200) == [])
        #expect(floor.played(session: 1) == [] && floor.state == .taken(session: 2))
    }

    @Test func `what is said after a lost end is kept, and played when the end is noticed`() {
        var floor = taken()
        #expect(hear(&floor, 2, at: 139) == [])
        #expect(hear(&floor, 2, at: 140) == [.keep(session: 2)])
        #expect(hear(&floor, 2, at: 160) == [.keep(session: 2)])
        // Of two it is the first.
        #expect(hear(&floor, 3, at: 170) == [])
        #expect(floor.deadline == .milliseconds(400))
        #expect(floor.timer(.milliseconds(400)) == [.finish(session: 1), .taken(session: 2)])
        #expect(hear(&floor, 2, at: 401) == [.play(session: 2)])
        #expect(floor.played(session: 1) == [] && floor.state == .taken(session: 2))
    }

    @Test func `a short word after a lost end is played to its end`() {
        var floor = taken()
        _ = hear(&floor, 2, at: 140)
        #expect(hear(&floor, 2, isLast: true, at: 160) == [.keep(session: 2)])
        #expect(
            floor.timer(.milliseconds(400)) == [
                .finish(session: 1), .taken(session: 2), .finish(session: 2),
            ]
        )
        #expect(floor.played(session: 1) == [] && floor.played(session: 2) == [.idle])
    }

    @Test func `what was kept is dropped when the first one goes on, and played when that one ends`() {
        var floor = taken()
        _ = hear(&floor, 2, at: 140)
        #expect(hear(&floor, 1, at: 150) == [.drop(session: 2), .play(session: 1)])
        #expect(floor.timer(.milliseconds(450)) == [.finish(session: 1)])

        floor = taken()
        _ = hear(&floor, 2, at: 140)
        #expect(
            hear(&floor, 1, isLast: true, at: 150) == [
                .play(session: 1), .finish(session: 1), .taken(session: 2),
            ]
        )
    }

    @Test func `many who say a word each are bounded`() {
        var floor = Floor()
        for session in UInt32(1)...1000 {
            let effects = hear(&floor, session, at: Int(session))
            #expect(effects.contains(.drop(session: 1)) == (session == 5))
            _ = hear(&floor, session, isLast: true, at: Int(session))
            #expect(floor.talkers.count <= Floor.limit)
        }
        for session in UInt32(1)...999 { #expect(floor.played(session: session) == []) }
        #expect(floor.played(session: 1000) == [.idle])
    }

    @Test func `many who wait for the end of one another are bounded`() {
        var floor = taken()
        for session in UInt32(2)...1000 {
            let now = 100 * Int(session)
            #expect(hear(&floor, session, at: now) == [.keep(session: session)])
            let effects = hear(&floor, session - 1, isLast: true, at: now)
            #expect(effects.contains(.taken(session: session)))
            #expect(effects.contains(.drop(session: 1)) == (session == 5))
            #expect(floor.talkers.count <= Floor.limit)
        }
    }

    @Test func `what cannot be played ends, and who still talks keeps the floor`() {
        var floor = taken()
        _ = hear(&floor, 1, isLast: true, at: 120)
        _ = hear(&floor, 2, at: 121)
        #expect(floor.unheard() == [] && floor.state == .taken(session: 2))
        _ = hear(&floor, 2, isLast: true, at: 141)
        #expect(floor.unheard() == [.idle] && floor.state == .idle)
    }

    /// Whatever is heard, nobody has the floor for longer than the silence after the last packet.
    @Test func `random voices leave the channel free at the end`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var floor = Floor()
            var playing: Set<UInt32> = []
            func carryOut(_ effects: [Floor.Effect]) {
                for effect in effects {
                    if case .finish(let session) = effect { playing.insert(session) }
                }
            }
            for step in 0..<60 {
                let isLast = Int.random(in: 0..<5, using: &random) == 0
                let session = UInt32.random(in: 1...6, using: &random)
                carryOut(hear(&floor, session, isLast: isLast, at: step * 30))
                if let deadline = floor.deadline, deadline <= .milliseconds(step * 30) {
                    carryOut(floor.timer(.milliseconds(step * 30)))
                }
                if Bool.random(using: &random), let session = playing.popFirst() {
                    carryOut(floor.played(session: session))
                }
                #expect(floor.talkers.count { !$0.isEnding } <= 1)
            }
            carryOut(floor.timer(.seconds(10)))
            carryOut(floor.timer(.seconds(20)))
            for session in playing { _ = floor.played(session: session) }
            #expect(floor.state == .idle && floor.deadline == nil)
        }
    }
}

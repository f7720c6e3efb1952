import Testing

@testable import MumbleCore

@Suite struct FullDuplexTests {
    private func sender(_ session: UInt32) -> Floor.Sender {
        Floor.Sender(session: session, isOurs: true, isEmergency: session == 99)
    }

    private func hear(_ floor: inout Floor, _ session: UInt32, isLast: Bool = false, at now: Duration = .zero)
        -> [Floor.Effect]
    {
        floor.heard(sender(session), isLast: isLast, rival: sender, own: sender(50), now)
    }

    private func fullDuplex() -> Floor {
        var floor = Floor()
        _ = floor.setFullDuplex(true)
        return floor
    }

    @Test func `all who talk are played together, and who began first is shown until the end`() {
        var floor = fullDuplex()
        #expect(hear(&floor, 1) == [.taken(session: 1), .play(session: 1)])
        #expect(hear(&floor, 2) == [.play(session: 2)])
        #expect(hear(&floor, 3) == [.play(session: 3)])
        #expect(hear(&floor, 1, isLast: true) == [.play(session: 1), .finish(session: 1)])
        #expect(floor.played(session: 1) == [.taken(session: 2)])
        #expect(floor.timer(Floor.silence) == [.finish(session: 2), .finish(session: 3)])
        #expect(floor.played(session: 3) == [])
        #expect(floor.played(session: 2) == [.idle])
    }

    @Test func `we talk while others are heard, and neither gives way`() {
        var floor = fullDuplex()
        _ = hear(&floor, 1)
        floor.transmissionBegan()
        #expect(floor.state == .requested && floor.shown == 1)
        floor.sent(.zero)
        #expect(hear(&floor, 1) == [.play(session: 1)])
        #expect(hear(&floor, 2) == [.play(session: 2)])
        #expect(hear(&floor, 99) == [.taken(session: 99), .play(session: 99)])
        #expect(floor.state == .granted(since: .zero))
        _ = floor.transmissionEnded()
        #expect(floor.state == .taken(session: 99))
    }

    @Test func `of a crowd a bounded number is played, with any emergency`() {
        var floor = fullDuplex()
        for session in UInt32(1)...40 {
            #expect(hear(&floor, session).isEmpty == (session > 4))
        }
        #expect(hear(&floor, 99) == [.drop(session: 1), .taken(session: 99), .play(session: 99)])
        #expect(floor.talkers.count == Floor.limit)
        // Whoever ends makes room.
        _ = hear(&floor, 2, isLast: true)
        #expect(hear(&floor, 40) == [.drop(session: 2), .play(session: 40)])
    }

    @Test func `a channel that becomes half duplex goes on with the one who is shown`() {
        var floor = fullDuplex()
        _ = hear(&floor, 1)
        _ = hear(&floor, 2)
        #expect(floor.setFullDuplex(false) == [.drop(session: 2)])
        #expect(hear(&floor, 2) == [])
        #expect(hear(&floor, 1) == [.play(session: 1)])
    }

    @Test func `what waits for a lost end is heard when the channel becomes full duplex`() {
        var floor = Floor()
        _ = hear(&floor, 1)
        #expect(hear(&floor, 70, at: .seconds(2)) == [.keep(session: 70)])
        #expect(floor.setFullDuplex(true) == [.drop(session: 70)])
        #expect(hear(&floor, 70, at: .seconds(2)) == [.play(session: 70)])
        _ = floor.timer(.seconds(3))
        #expect(floor.talkers.count == 2)
    }

    @Test func `random voices leave the channel free at the end`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var floor = Floor()
            for step in 0..<100 {
                let now = Duration.milliseconds(20 * step)
                switch Int.random(in: 0..<20, using: &random) {
                case 0: _ = floor.setFullDuplex(Bool.random(using: &random))
                case 1: floor.transmissionBegan()
                case 2: _ = floor.transmissionEnded()
                case 3: _ = floor.unheard()
                case 4: _ = floor.left(session: UInt32.random(in: 1...8, using: &random))
                case 5: _ = floor.played(session: UInt32.random(in: 1...8, using: &random))
                default:
                    let session = UInt32.random(in: 1...8, using: &random)
                    _ = hear(&floor, session, isLast: Bool.random(using: &random), at: now)
                }
                _ = floor.timer(now)
                #expect(floor.talkers.count <= Floor.limit)
                #expect(Set(floor.talkers.map(\.session)).count == floor.talkers.count)
            }
            _ = floor.transmissionEnded()
            _ = floor.timer(.seconds(10))
            _ = floor.timer(.seconds(20))
            for session in UInt32(1)...8 { _ = floor.played(session: session) }
            #expect(floor.state == .idle && floor.deadline == nil)
        }
    }
}

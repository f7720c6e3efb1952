import Testing

@testable import MumbleCore

@Suite struct FloorTests {
    /// Sessions below 100 are those of our programs.
    private func sender(_ session: UInt32) -> Floor.Sender {
        Floor.Sender(session: session, isOurs: session < 100)
    }

    private func hear(_ floor: inout Floor, _ session: UInt32, isLast: Bool = false, at now: Duration)
        -> [Floor.Effect]
    {
        floor.heard(sender(session), isLast: isLast, rival: sender, own: sender(50), now)
    }

    @Test func `the first who is heard has the floor until the end of what is said`() {
        var floor = Floor()
        #expect(hear(&floor, 200, at: .zero) == [.taken(session: 200), .play(session: 200)])
        #expect(hear(&floor, 201, at: .milliseconds(20)) == [])
        #expect(hear(&floor, 200, at: .milliseconds(20)) == [.play(session: 200)])
        #expect(
            hear(&floor, 200, isLast: true, at: .milliseconds(40)) == [
                .play(session: 200), .finish(session: 200),
            ]
        )
        #expect(floor.deadline == nil)
        #expect(floor.played(session: 200) == [.idle])
        #expect(hear(&floor, 201, at: .milliseconds(60)) == [.taken(session: 201), .play(session: 201)])
    }

    @Test func `a lost end is noticed after 300 milliseconds`() {
        var floor = Floor()
        _ = hear(&floor, 200, at: .zero)
        _ = hear(&floor, 200, at: .milliseconds(100))
        #expect(floor.deadline == .milliseconds(400))
        #expect(floor.timer(.milliseconds(399)) == [])
        #expect(floor.timer(.milliseconds(400)) == [.finish(session: 200)])
        #expect(floor.played(session: 200) == [.idle])
    }

    @Test func `who goes on before the end was played keeps the floor`() {
        var floor = Floor()
        _ = hear(&floor, 200, at: .zero)
        _ = floor.timer(.milliseconds(300))
        #expect(hear(&floor, 200, at: .milliseconds(310)) == [.play(session: 200)])
        #expect(floor.played(session: 200) == [])
    }

    @Test func `who leaves, and everybody when the connection is gone, has the floor no longer`() {
        for isLost in [false, true] {
            var floor = Floor()
            _ = hear(&floor, 200, at: .zero)
            #expect(floor.left(session: 201) == [])
            #expect((isLost ? floor.disconnected() : floor.left(session: 200)) == [.finish(session: 200)])
            #expect(floor.played(session: 200) == [.idle])
        }
    }

    @Test
    func `of two of ours who begin together the lower session goes first, on each side and for a third`() {
        // We are 50.
        var floor = Floor()
        floor.transmissionBegan()
        floor.sent(.zero)
        #expect(hear(&floor, 60, at: .milliseconds(100)) == [])
        #expect(hear(&floor, 40, at: .milliseconds(100)).first == .giveWay(session: 40))
        #expect(floor.state == .denied)
        _ = floor.transmissionEnded()
        #expect(hear(&floor, 40, at: .milliseconds(140)) == [.play(session: 40)])

        var third = Floor()
        _ = hear(&third, 60, at: .zero)
        #expect(
            hear(&third, 40, at: .milliseconds(100)) == [
                .drop(session: 60), .taken(session: 40), .play(session: 40),
            ]
        )
        #expect(hear(&third, 60, at: .milliseconds(120)) == [])
    }

    @Test func `also who has sent nothing yet gives way`() {
        var floor = Floor()
        floor.transmissionBegan()
        #expect(hear(&floor, 40, at: .seconds(5)).first == .giveWay(session: 40))
    }

    @Test func `who goes first is heard from the first word on, once our transmission has ended`() {
        var floor = Floor()
        floor.transmissionBegan()
        #expect(hear(&floor, 40, at: .zero) == [.giveWay(session: 40), .keep(session: 40)])
        #expect(hear(&floor, 40, at: .milliseconds(20)) == [.keep(session: 40)])
        #expect(hear(&floor, 200, at: .milliseconds(30)) == [])
        #expect(floor.state == .denied && floor.disconnected() == [])
        #expect(floor.transmissionEnded() == [.taken(session: 40)])
        #expect(hear(&floor, 40, at: .milliseconds(40)) == [.play(session: 40)])

        // Somebody who was granted the floor, and has said a short word.
        floor = Floor()
        floor.transmissionBegan()
        floor.deny()
        #expect(hear(&floor, 200, at: .zero) == [.keep(session: 200)])
        #expect(hear(&floor, 200, isLast: true, at: .milliseconds(20)) == [.keep(session: 200)])
        #expect(floor.transmissionEnded() == [.taken(session: 200), .finish(session: 200)])
        #expect(floor.played(session: 200) == [.idle])
    }

    @Test func `nobody gives way to another program, or after the first second`() {
        var floor = Floor()
        floor.transmissionBegan()
        floor.sent(.zero)
        #expect(hear(&floor, 200, at: .milliseconds(100)) == [])
        #expect(hear(&floor, 40, at: .seconds(1)) == [])
        #expect(floor.state == .granted(since: .zero))
        _ = floor.transmissionEnded()

        var third = Floor()
        _ = hear(&third, 60, at: .zero)
        _ = hear(&third, 60, at: .milliseconds(990))
        #expect(hear(&third, 40, at: .seconds(1)) == [])
        third = Floor()
        _ = hear(&third, 200, at: .zero)
        #expect(hear(&third, 40, at: .milliseconds(20)) == [])
    }

    @Test func `an end of what was not heard takes no floor`() {
        var floor = Floor()
        #expect(hear(&floor, 200, isLast: true, at: .zero) == [])
        #expect(floor.state == .idle)
    }

    @Test func `an emergency takes the floor from whoever talks, who has it again after it`() {
        var floor = Floor()
        _ = hear(&floor, 200, at: .zero)
        floor.transmissionBegan()
        #expect(floor.state == .requested && floor.deadline == nil)
        _ = floor.transmissionEnded()
        #expect(hear(&floor, 200, at: .seconds(2)) == [.taken(session: 200), .play(session: 200)])
    }
}

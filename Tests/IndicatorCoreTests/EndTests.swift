import IndicatorCore
import PTTMessages
import Testing

@Suite struct EndTests {
    @Test func `the program does not end before it has closed a notification that the daemon makes late`()
        throws
    {
        var (indicator, _) = try IndicatorTests.joined()
        _ = indicator.handle(.watcherChanged(isThere: false), at: IndicatorTests.now)
        for event in [.busConnected, .capabilities([]), .overdue] as [Notice.Event] {
            _ = indicator.handle(.notice(event), at: IndicatorTests.now)
        }
        let left = CoreEvent.channelLeft(leaveReason: .userRequest, explanation: nil)
        _ = indicator.handle(.core(left), at: IndicatorTests.now)
        let end = IndicatorTests.now + Indicator.pause.nothingToShow
        #expect(!indicator.handle(.timerFired, at: end).contains(.exit(.nothingToShow)))
        let shown = indicator.handle(.notice(.shown(7)), at: end)
        #expect(shown.contains(.closeNotice(id: 7)))
        #expect(shown.contains(.arm(at: end)))
        #expect(indicator.handle(.timerFired, at: end).contains(.exit(.nothingToShow)))
    }
}

import PTTMessages
import Testing

@testable import IndicatorCore

/// A notification daemon that has not answered in time: it hangs, or has lost the call.
@Suite struct OverdueCallTests {
    @Test func `a call that is not answered is made again, with what is so by then`() {
        var daemon = SimulatedDaemon()
        daemon.show(.radio)
        daemon.answers = false
        daemon.pass(2)
        daemon.show(.speaking("Anna"))
        daemon.handle(.overdue)
        daemon.show(.speaking("Bert"))
        #expect(daemon.calls == 2)
        #expect(daemon.timer == daemon.now + .seconds(5))
        daemon.answers = true
        daemon.pass(5)
        #expect(daemon.calls == 3 && daemon.replaced == 1)
        #expect(daemon.content?.body == "Bert speaks")
        #expect(daemon.timer == nil)
    }

    @Test func `what was not answered is made again although nothing has changed`() {
        var daemon = SimulatedDaemon(answers: false)
        daemon.show(.radio)
        daemon.handle(.capabilities(["body"]))
        daemon.handle(.overdue)
        daemon.pass(5)
        #expect(daemon.calls == 2)
    }

    @Test func `a daemon that answers nothing is called at growing intervals`() {
        var daemon = SimulatedDaemon(answers: false)
        daemon.show(.radio)
        for seconds in [5, 10, 20, 40, 80] {
            daemon.handle(.overdue)
            #expect(daemon.timer == daemon.now + .seconds(seconds))
            daemon.pass(seconds)
        }
        #expect(daemon.questions == 6)
        // The bus, or the time limit of the call, has answered in its place.
        daemon.handle(.capabilities(nil))
        #expect(daemon.timer == nil)
    }

    @Test func `an answer before the next attempt is enough`() {
        var daemon = SimulatedDaemon(answers: false)
        daemon.show(.radio)
        daemon.handle(.capabilities(["body"]))
        daemon.handle(.overdue)
        daemon.handle(.shown(1))
        #expect(daemon.timer == nil)
        daemon.pass(10)
        #expect(daemon.calls == 1)
    }

    @Test func `names leave a locked screen before the next attempt`() {
        var daemon = SimulatedDaemon()
        daemon.show(.speaking("Anna"))
        daemon.answers = false
        daemon.pass(2)
        daemon.show(.speaking("Bert"))
        daemon.handle(.overdue)
        var view = Destination.speaking("Bert")
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.calls == 3)
        #expect(daemon.content?.body == "Somebody speaks")
    }

    @Test(arguments: [Notice.Event.serviceChanged(isThere: false), .busLost])
    func `what is shown anew at the lock, and lost before its answer, ends what is begun after the unlock`(
        loss: Notice.Event
    ) throws {
        var (indicator, _) = try IndicatorTests.joined()
        _ = indicator.handle(.watcherChanged(isThere: false), at: IndicatorTests.now)
        for event in [.busConnected, .capabilities([]), .shown(1)] as [Notice.Event] {
            _ = indicator.handle(.notice(event), at: IndicatorTests.now)
        }
        let locked = indicator.handle(.screenLocked(true), at: IndicatorTests.now)
        #expect(locked.contains(.closeNotice(id: 1)))
        _ = indicator.handle(.notice(.overdue), at: IndicatorTests.now)
        _ = indicator.handle(.screenLocked(false), at: IndicatorTests.now)
        #expect(indicator.handle(.notice(loss), at: IndicatorTests.now).contains(.end(.panel)))
    }
}

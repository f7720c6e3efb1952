import IndicatorCore
import PTTMessages
import TestSupport
import Testing

/// The repeats of a held key, where its release is not reported.
@Suite struct KeyHoldTests {
    @Test(arguments: [250, 500, 660, 1000, 2000])
    func `the end of the repeats is the release`(delay: Int) {
        var keyboard = Keyboard(delay: .milliseconds(delay))
        keyboard.hold(for: .seconds(5))
        #expect(keyboard.isOn)
        #expect(keyboard.begun == 1)
        keyboard.pass(.milliseconds(960))
        #expect(keyboard.isOn)
        keyboard.pass(.milliseconds(40))
        #expect(!keyboard.isOn)
        #expect(keyboard.unreported == 1)
        keyboard.hold(for: .seconds(3))
        #expect(keyboard.isOn)
        #expect(keyboard.begun == 2)
    }

    @Test func `a long hold that is repeated stays one, and the timer is not set for each repeat`() {
        var keyboard = Keyboard(delay: .milliseconds(500))
        keyboard.hold(for: .seconds(60))
        #expect(keyboard.isOn)
        #expect(keyboard.begun == 1)
        #expect(keyboard.timers < 70)
        keyboard.release()
        #expect(!keyboard.isOn)
        #expect(keyboard.key.deadline == nil)
    }

    @Test func `a release that is missed before the first repeat is noticed where repeats were seen before`()
    {
        var keyboard = Keyboard(delay: .milliseconds(500))
        keyboard.hold(for: .seconds(1))
        keyboard.release()
        keyboard.hold(for: .milliseconds(300))
        keyboard.pass(.milliseconds(1190))
        #expect(keyboard.isOn)
        keyboard.pass(.milliseconds(20))
        #expect(!keyboard.isOn)
    }

    @Test func `without repeats and without a release the first hold is believed for a quarter of a minute`()
    {
        var keyboard = Keyboard(delay: nil)
        keyboard.hold(for: .milliseconds(14900))
        #expect(keyboard.isOn)
        keyboard.pass(.milliseconds(100))
        #expect(!keyboard.isOn)
    }

    @Test func `where a release was reported after a hold without repeats, the next hold is believed`() {
        var keyboard = Keyboard(delay: nil)
        keyboard.hold(for: .milliseconds(200))
        keyboard.release()
        keyboard.hold(for: .milliseconds(100))
        #expect(keyboard.key.deadline != nil)
        keyboard.hold(for: .seconds(3), presses: false)
        keyboard.release()
        keyboard.hold(for: .seconds(300))
        #expect(keyboard.isOn)
        #expect(keyboard.key.deadline == nil)
        // Until a repeat is seen.
        keyboard.release()
        keyboard.delay = .milliseconds(500)
        keyboard.hold(for: .seconds(2))
        keyboard.pass(.seconds(1))
        #expect(!keyboard.isOn)
    }

    @Test func `after a missed release the same key, pressed again, ends`() {
        var keyboard = Keyboard(delay: nil)
        keyboard.hold(for: .seconds(3))
        keyboard.release()
        keyboard.hold(for: .seconds(20))
        #expect(keyboard.isOn)
        keyboard.hold(for: .seconds(1))
        #expect(keyboard.begun == 2)
        keyboard.release()
        #expect(!keyboard.isOn)
        // And a release can be missed here.
        keyboard.hold(for: .seconds(15))
        #expect(!keyboard.isOn)
    }

    @Test func `a person who switches the repeats off loses one hold`() {
        var keyboard = Keyboard(delay: .milliseconds(500))
        keyboard.hold(for: .seconds(2))
        keyboard.release()
        keyboard.delay = nil
        keyboard.hold(for: .seconds(4))
        #expect(!keyboard.isOn)
        keyboard.release()
        keyboard.hold(for: .seconds(4))
        #expect(keyboard.isOn)
        keyboard.release()
        keyboard.hold(for: .seconds(30))
        #expect(keyboard.isOn)
    }

    @Test func `a person who chooses a longer delay loses one hold`() {
        var keyboard = Keyboard(delay: .milliseconds(250))
        keyboard.hold(for: .seconds(2))
        keyboard.release()
        keyboard.delay = .milliseconds(2000)
        keyboard.hold(for: .seconds(4))
        // It ended, and its first repeat began the next.
        #expect((keyboard.isOn, keyboard.begun) == (true, 3))
        keyboard.release()
        keyboard.hold(for: .seconds(4))
        #expect((keyboard.isOn, keyboard.begun) == (true, 4))
    }

    @Test(arguments: [TalkKey.Loss.unseen, .suspended, .sessionInactive])
    func `a key that is still repeated does not begin again what was ended`(loss: TalkKey.Loss) {
        var keyboard = Keyboard(delay: .milliseconds(500))
        keyboard.hold(for: .seconds(2))
        keyboard.handle(.lost(loss))
        #expect(!keyboard.isOn)
        keyboard.goOn(for: .seconds(20))
        #expect(!keyboard.isOn)
        keyboard.pass(.milliseconds(1100))
        keyboard.hold(for: .seconds(2))
        #expect((keyboard.isOn, keyboard.begun) == (true, 2))
    }

    @Test func `a screen that is unlocked with the key held does not begin`() {
        var keyboard = Keyboard(delay: .milliseconds(500))
        keyboard.hold(for: .seconds(2))
        keyboard.handle(.screenLocked(true))
        keyboard.goOn(for: .seconds(5))
        keyboard.handle(.screenLocked(false))
        keyboard.goOn(for: .seconds(5))
        #expect((keyboard.isOn, keyboard.begun) == (false, 1))
        keyboard.release()
        keyboard.hold(for: .seconds(2))
        #expect(keyboard.isOn)
    }

    /// Whatever a desktop with repeats does: a microphone that this key has opened closes soon after its last
    /// signal.
    @Test(arguments: 0..<300) func `with nothing more from the desktop the key is soon up`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var keyboard = Keyboard(delay: .milliseconds(Int.random(in: 250...2000, using: &random)))
        keyboard.hold(for: .seconds(3))
        keyboard.release()
        for _ in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: keyboard.release()
            case 1: keyboard.handle(.screenLocked(Bool.random(using: &random)))
            case 2: keyboard.handle(.lost(TalkKey.Loss.allCases.randomElement(using: &random) ?? .unseen))
            case 3: keyboard.handle(.coreLost)
            case 4: keyboard.pass(.milliseconds(Int.random(in: 0...3000, using: &random)))
            case 5: keyboard.goOn(for: .milliseconds(Int.random(in: 0...3000, using: &random)))
            default: keyboard.hold(for: .milliseconds(Int.random(in: 0...3000, using: &random)))
            }
        }
        var silent = keyboard
        silent.pass(KeyboardLimits.soon)
        #expect(!silent.isOn)
    }
}

private enum KeyboardLimits {
    /// The longest that a hold is believed of which nothing is known.
    static let soon = Duration.seconds(15)
}

/// A key of the keyboard, the desktop that repeats its press, and the clock.
private struct Keyboard {
    static let interval = Duration.milliseconds(30)

    var key = TalkKey()
    /// Nil: presses are not repeated.
    var delay: Duration?
    var now = MonotonicTime.start
    var (isOn, begun, unreported, timers) = (false, 0, 0, 0)

    init(delay: Duration?) {
        self.delay = delay
    }

    mutating func handle(_ event: TalkKey.Event) {
        let armed = key.deadline
        for effect in key.handle(event, at: now) {
            switch effect {
            case .begin:
                #expect(!isOn)
                (isOn, begun) = (true, begun + 1)
            case .end: isOn = false
            case .endUnreported:
                #expect(isOn)
                (isOn, unreported) = (false, unreported + 1)
            }
        }
        if event == .coreLost { isOn = false }
        if key.deadline != nil, key.deadline != armed { timers += 1 }
    }

    /// The key is pressed, and held for a while. The release is not reported, unless ``release()`` follows.
    mutating func hold(for duration: Duration, presses: Bool = true) {
        if presses { handle(.pressed) }
        guard let delay, duration >= delay else { return pass(duration) }
        pass(delay)
        handle(.pressed)
        goOn(for: duration - delay)
    }

    /// It goes on to be held, and is repeated.
    mutating func goOn(for duration: Duration) {
        guard delay != nil else { return pass(duration) }
        let end = now + duration
        while end - now >= Self.interval {
            pass(Self.interval)
            handle(.pressed)
        }
        pass(end - now)
    }

    mutating func release() { handle(.released) }

    /// Only time passes.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let deadline = key.deadline, deadline <= end {
            now = max(now, deadline)
            handle(.timerFired)
        }
        now = end
    }
}

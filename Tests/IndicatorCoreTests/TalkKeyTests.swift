import IndicatorCore
import PTTMessages
import Testing

@Suite struct TalkKeyTests {
    @Test func `a press begins and the release ends`() {
        var key = TalkKey()
        #expect(key.handle(.pressed, at: .start) == [.begin])
        #expect(key.handle(.released, at: .start) == [.end])
    }

    @Test func `a press that is repeated while the key is held begins once`() {
        var key = TalkKey()
        #expect(key.handle(.pressed, at: .start) == [.begin])
        #expect(key.handle(.pressed, at: .start) == [])
        #expect(key.handle(.pressed, at: .start) == [])
        #expect(key.handle(.released, at: .start) == [.end])
    }

    @Test(arguments: TalkKey.Loss.allCases.map { TalkKey.Event.lost($0) } + [.screenLocked(true)])
    func `what can hide the release ends`(loss: TalkKey.Event) {
        var key = TalkKey()
        _ = key.handle(.pressed, at: .start)
        #expect(key.handle(loss, at: .start) == [.end])
        #expect(key.handle(.released, at: .start) == [])
    }

    @Test func `a locked screen does not begin`() {
        var key = TalkKey()
        _ = key.handle(.screenLocked(true), at: .start)
        #expect(key.handle(.pressed, at: .start) == [])
        _ = key.handle(.released, at: .start)
        _ = key.handle(.screenLocked(false), at: .start)
        #expect(key.handle(.pressed, at: .start) == [.begin])
    }

    @Test func `a key that was held while the core ended must be released first`() {
        var key = TalkKey()
        _ = key.handle(.pressed, at: .start)
        #expect(key.handle(.coreLost, at: .start) == [])
        #expect(key.handle(.pressed, at: .start) == [])
        #expect(key.handle(.released, at: .start) == [])
        #expect(key.handle(.pressed, at: .start) == [.begin])
    }

    static let events: [TalkKey.Event] =
        [.pressed, .released, .screenLocked(true), .screenLocked(false), .coreLost, .timerFired]
        + TalkKey.Loss.allCases.map { .lost($0) }

    /// All sequences of up to five events, the timer's when it is due: begin and end alternate, and nothing
    /// is left on after a loss.
    @Test func `no sequence of events leaves a transmission on after a loss`() {
        var violations: [[TalkKey.Event]] = []
        func extend(_ sequence: [TalkKey.Event], _ key: TalkKey, isOn: Bool, at now: MonotonicTime) {
            guard sequence.count < 5 else { return }
            for event in Self.events {
                var next = key
                var isOnNow = isOn
                let time = event == .timerFired ? key.deadline ?? now : now
                for effect in next.handle(event, at: time) {
                    if isOnNow == (effect == .begin) { violations.append(sequence + [event]) }
                    isOnNow = effect == .begin
                }
                switch event {
                case .released, .lost, .screenLocked(true), .timerFired:
                    if isOnNow { violations.append(sequence + [event]) }
                // The core ends what was held through the connection.
                case .coreLost: isOnNow = false
                case .pressed, .screenLocked(false): break
                }
                extend(sequence + [event], next, isOn: isOnNow, at: time)
            }
        }
        extend([], TalkKey(), isOn: false, at: .start)
        #expect(violations == [])
    }
}

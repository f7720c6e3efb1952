import IndicatorCore
import Testing

@Suite struct TalkKeyTests {
    @Test func `a press begins and the release ends`() {
        var key = TalkKey()
        #expect(key.handle(.pressed) == [.begin])
        #expect(key.handle(.released) == [.end])
    }

    @Test func `a press that is repeated while the key is held begins once`() {
        var key = TalkKey()
        #expect(key.handle(.pressed) == [.begin])
        #expect(key.handle(.pressed) == [])
        #expect(key.handle(.pressed) == [])
        #expect(key.handle(.released) == [.end])
    }

    @Test(arguments: TalkKey.Loss.allCases.map { TalkKey.Event.lost($0) } + [.screenLocked(true)])
    func `what can hide the release ends`(loss: TalkKey.Event) {
        var key = TalkKey()
        _ = key.handle(.pressed)
        #expect(key.handle(loss) == [.end])
        #expect(key.handle(.released) == [])
    }

    @Test func `a locked screen does not begin`() {
        var key = TalkKey()
        _ = key.handle(.screenLocked(true))
        #expect(key.handle(.pressed) == [])
        _ = key.handle(.released)
        _ = key.handle(.screenLocked(false))
        #expect(key.handle(.pressed) == [.begin])
    }

    @Test func `a key that was held while the core ended must be released first`() {
        var key = TalkKey()
        _ = key.handle(.pressed)
        #expect(key.handle(.coreLost) == [])
        #expect(key.handle(.pressed) == [])
        #expect(key.handle(.released) == [])
        #expect(key.handle(.pressed) == [.begin])
    }

    static let events: [TalkKey.Event] =
        [.pressed, .released, .screenLocked(true), .screenLocked(false), .coreLost]
        + TalkKey.Loss.allCases.map { .lost($0) }

    /// All sequences of up to five events: begin and end alternate, and nothing is left on after a loss.
    @Test func `no sequence of events leaves a transmission on after a loss`() {
        var violations: [[TalkKey.Event]] = []
        func extend(_ sequence: [TalkKey.Event], _ key: TalkKey, isOn: Bool) {
            guard sequence.count < 5 else { return }
            for event in Self.events {
                var next = key
                var isOnNow = isOn
                for effect in next.handle(event) {
                    if isOnNow == (effect == .begin) { violations.append(sequence + [event]) }
                    isOnNow = effect == .begin
                }
                switch event {
                case .released, .lost, .screenLocked(true):
                    if isOnNow { violations.append(sequence + [event]) }
                // The core ends what was held through the connection.
                case .coreLost: isOnNow = false
                case .pressed, .screenLocked(false): break
                }
                extend(sequence + [event], next, isOn: isOnNow)
            }
        }
        extend([], TalkKey(), isOn: false)
        #expect(violations == [])
    }
}

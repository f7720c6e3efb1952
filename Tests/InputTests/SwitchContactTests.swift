import EventLoop
import Testing

@testable import Input

/// The contact of a switch, from readings of its line at times in milliseconds after the port was opened.
@Suite struct SwitchContactTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private static func time(_ milliseconds: Int) -> MonotonicInstant { start + .milliseconds(milliseconds) }

    /// - Returns: The edges that the contact reports, each with its time in milliseconds.
    private func edges(_ readings: [(Int, Bool)]) -> [String] {
        var contact = SwitchContact(at: Self.start)
        return readings.compactMap { milliseconds, isOn in
            contact.read(isOn, at: Self.time(milliseconds)).map { "\($0) \(milliseconds)" }
        }
    }

    private func contact(after readings: [(Int, Bool)]) -> SwitchContact {
        var contact = SwitchContact(at: Self.start)
        for (milliseconds, isOn) in readings { _ = contact.read(isOn, at: Self.time(milliseconds)) }
        return contact
    }

    @Test func `a press counts at once, and its release when the contact has stayed open`() {
        let readings = [(0, false), (500, false), (800, true), (900, false), (920, false), (930, false)]
        #expect(edges(readings) == ["pressed 800", "released 930"])
    }

    @Test func `no bounce ends a press or begins a second one`() {
        let pressing = [
            (0, false), (500, false), (800, true), (802, false), (805, true), (808, false), (811, true),
        ]
        let releasing = [(900, false), (903, true), (906, false), (909, true), (912, false), (942, false)]
        #expect(edges(pressing + releasing) == ["pressed 800", "released 942"])
    }

    @Test func `a contact that opened and closed unseen is still closed`() {
        let readings = [(0, false), (500, false), (800, true), (900, false), (930, true), (2000, true)]
        #expect(edges(readings) == ["pressed 800"])
    }

    @Test func `a switch that is held when the port is opened is not pressed before it was let go`() {
        let held = [(0, true), (500, true), (3000, true)]
        #expect(edges(held) == [])
        #expect(edges(held + [(4000, false), (4030, false), (5000, true)]) == ["pressed 5000"])
        // Its release bounces.
        #expect(edges(held + [(4000, false), (4010, true), (4020, false), (4060, false)]) == [])
    }

    /// The port has just raised what feeds the switch.
    @Test func `a line that comes on a moment after the port was opened is no press`() {
        #expect(edges([(0, false), (16, true), (500, true), (1000, true)]) == [])
        #expect(edges([(0, false), (499, true), (500, true)]) == [])
        #expect(edges([(0, false), (100, true), (490, false), (500, false), (510, true)]) == [])
    }

    @Test func `nothing is read while nothing happens`() {
        #expect(contact(after: [(0, false), (500, false)]).nextReading(after: Self.time(500)) == nil)
        #expect(contact(after: [(0, true), (500, true)]).nextReading(after: Self.time(500)) == nil)
        let released = [(0, false), (500, false), (800, true), (900, false), (930, false)]
        #expect(contact(after: released).nextReading(after: Self.time(930)) == nil)
    }

    @Test func `the line is read until it has settled, and each second while it is pressed`() {
        #expect(contact(after: [(0, true)]).nextReading(after: Self.start) == Self.time(500))
        let pressed = [(0, false), (500, false), (800, true)]
        #expect(contact(after: pressed).nextReading(after: Self.time(800)) == Self.time(1800))
        let opening = contact(after: pressed + [(900, false)])
        #expect(opening.isPressed && opening.nextReading(after: Self.time(900)) == Self.time(930))
    }
}

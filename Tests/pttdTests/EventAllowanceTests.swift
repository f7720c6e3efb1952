import PTTMessages
import Testing

@testable import pttd

@Suite struct EventAllowanceTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test func `a burst is free, and then a process waits as long as its events take`() {
        var allowance = EventAllowance()
        for _ in 0..<48 { #expect(allowance.charge(1, to: 7, at: Self.start) == .zero) }
        #expect(allowance.charge(1, to: 7, at: Self.start) == .milliseconds(10))
        #expect(allowance.charge(3, to: 7, at: Self.start) == .milliseconds(40))
    }

    @Test func `however much was published, nobody waits longer than a second`() {
        var allowance = EventAllowance()
        #expect(allowance.charge(100_000, to: 7, at: Self.start) == .seconds(1))
        #expect(allowance.charge(1, to: 7, at: Self.start + .seconds(1)) == .milliseconds(10))
    }

    @Test func `a call without an event does not wait for earlier ones`() {
        var allowance = EventAllowance()
        _ = allowance.charge(1000, to: 7, at: Self.start)
        #expect(allowance.charge(0, to: 7, at: Self.start) == .zero)
    }

    @Test func `a hundred events a second are free for ever`() {
        var allowance = EventAllowance()
        for step in 0..<10_000 {
            let now = Self.start + .milliseconds(10) * step
            #expect(allowance.charge(1, to: 7, at: now) == .zero)
        }
    }

    @Test func `many processes together have little more than the burst of one`() {
        var (allowance, free) = (EventAllowance(), 0)
        for process in Int32(1)...64 {
            while allowance.charge(1, to: process, at: Self.start) == .zero { free += 1 }
        }
        #expect(free < 224)
    }

    @Test func `what one process causes delays no other`() {
        var allowance = EventAllowance()
        _ = allowance.charge(1000, to: 7, at: Self.start)
        #expect(allowance.charge(1, to: 8, at: Self.start) == .zero)
        for process in Int32(100)..<300 { _ = allowance.charge(1, to: process, at: Self.start) }
        #expect(allowance.charge(1, to: 7, at: Self.start) == .seconds(1))
    }
}

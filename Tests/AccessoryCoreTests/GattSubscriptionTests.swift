import PTTMessages
import Testing

@testable import AccessoryCore

@Suite struct GattSubscriptionTests {
    private static let start = MonotonicTime(nanoseconds: 0)

    @Test func `values count once the fence is answered, and only the first answer does`() {
        var notifications = GattSubscription.subscribing(attempt: 1)
        #expect(notifications.phase == .connecting)
        let enabled = (notifications.enabled(at: Self.start), notifications.enabled(at: Self.start))
        #expect(enabled == (true, false))
        #expect(notifications.phase == .settling)
        let answered = (notifications.fenceAnswered(.value([])), notifications.fenceAnswered(.notConnected))
        #expect(answered == (true, false))
        #expect(notifications.phase == .ready)
    }

    @Test(arguments: [
        (FenceAnswer.refused, GattSubscription.settleTime), (nil, GattSubscription.fenceLimit),
    ])
    func `without an answer values count after a time`(_ answer: FenceAnswer?, _ time: Duration) {
        var notifications = GattSubscription.fenced(since: Self.start)
        if let answer { _ = notifications.fenceAnswered(answer) }
        #expect(notifications.deadline == Self.start + time)
        let early = notifications.settle(at: Self.start + (time - .nanoseconds(1)))
        #expect(!early)
        let inTime = notifications.settle(at: Self.start + time)
        #expect(inTime)
        #expect(notifications == .ready)
    }

    @Test func `a subscription that is refused is repeated, and given up after about a minute`() {
        var notifications = GattSubscription.subscribing(attempt: 1)
        var now = Self.start
        while now < Self.start + .seconds(600), !notifications.refused("busy", at: now),
            let deadline = notifications.deadline
        {
            now = deadline
            let isRepeated = notifications.retry(at: now)
            #expect(isRepeated)
        }
        #expect(notifications == .failed(reason: "busy"))
        #expect((.seconds(50)...(.seconds(70))).contains(now - Self.start))
    }
}

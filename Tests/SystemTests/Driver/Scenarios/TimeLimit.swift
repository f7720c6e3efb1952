import EventLoop
import PTTMessages

extension Scenario {
    static let timeLimit = [
        Scenario(part: 7, "a button held past the time limit must be released before it transmits again") {
            fixture in
            try await fixture.configured("time-limit = 8") { try await pastTheLimit(fixture) }
        }
    ]

    private static func pastTheLimit(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        guard fixture.core.status?.timeLimit == 8 else { throw Failure("the time limit is not read") }
        let mark = fixture.core.events.count
        try await fixture.press(.ffe0, for: application)
        try await fixture.ends(.timeLimit, after: mark)
        try await isSilent(application, fixture)
        // Still held: it sends its level again, and once more after it has reconnected.
        try await ButtonSimulator.send("01", from: .ffe0)
        try await ButtonSimulator.perform("on-subscribe", on: .ffe0, with: "01")
        try await ButtonSimulator.perform("disconnect", on: .ffe0)
        try await until("it is gone") { fixture.accessories.device(Button.ffe0.address)?.link != .ready }
        try await fixture.ready(.ffe0)
        try await ButtonSimulator.send("01", from: .ffe0)
        try await isSilent(application, fixture)
        guard fixture.core.beginnings(after: mark) == 1 else {
            throw Failure("it transmits again without a fresh press")
        }
        try await ButtonSimulator.release(.ffe0)
        try await until("it is released") {
            fixture.accessories.device(Button.ffe0.address)?.isPressed == false
        }
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }
}

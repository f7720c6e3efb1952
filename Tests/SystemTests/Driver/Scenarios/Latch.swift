import EventLoop
import PTTMessages

extension Scenario {
    /// A button that talks while it is held, and after a tap until its next press.
    static let latch = [
        latching(
            1,
            "a tap keeps a button that latches talking until its next press, a hold until its release"
        ) {
            fixture in
            let application = try await fixture.application()
            try await tapTalks(fixture, application)
            try await nextPressEnds(fixture)
            try await holdTalks(fixture, application)
            application.close()
        },
        latching(3, "the link is lost while a tap keeps the button talking: the transmission ends") {
            fixture in
            let application = try await fixture.application()
            try await tapTalks(fixture, application)
            let mark = fixture.core.events.count
            try await ButtonSimulator.perform("disconnect", on: .ffe0)
            try await fixture.ends(.linkLost, after: mark)
            try await isSilent(application, fixture)
            try await fixture.ready(.ffe0)
            try await nothingBegins(fixture, after: mark)
            try await tapTalks(fixture, application)
            try await nextPressEnds(fixture)
            application.close()
        },
        latching(7, "a button that a tap keeps talking past the time limit transmits again at its next tap") {
            fixture in
            let application = try await fixture.application()
            for _ in 0..<2 {
                let mark = fixture.core.events.count
                try await tapTalks(fixture, application)
                try await fixture.ends(.timeLimit, after: mark)
                try await isSilent(application, fixture)
            }
            application.close()
        },
        latching(12, "a tap keeps the action of a button that latches until its next press", actionLatches),
    ]

    private static func latching(
        _ part: Int,
        _ name: String,
        _ body: @escaping @EventLoop (GuestFixture) async throws -> Void
    ) -> Scenario {
        Scenario(part: part, name) { fixture in
            // The enrolment goes with this configuration.
            try await fixture.configured("time-limit = 8") {
                try await fixture.accessories.open()
                try await fixture.pair(.ffe0, "--mode", "latch")
                try await fixture.ready(.ffe0)
                try await body(fixture)
            }
        }
    }

    /// Shorter than 300 ms, as a person taps.
    private static func tap(_ fixture: GuestFixture) async throws {
        try await ButtonSimulator.press(.ffe0)
        try await ButtonSimulator.release(.ffe0)
        try await isReleased(fixture)
    }

    private static func isReleased(_ fixture: GuestFixture) async throws {
        try await until("ptt-accessoryd has seen the release") {
            fixture.accessories.device(Button.ffe0.address)?.isPressed == false
        }
    }

    /// A tap begins a transmission, which is heard after the release.
    private static func tapTalks(_ fixture: GuestFixture, _ application: Application) async throws {
        let mark = fixture.core.events.count
        try await tap(fixture)
        try await fixture.began(Button.ffe0.address, after: mark)
        try await fixture.core.event("the tap is reported", after: mark) {
            if case .transmissionLatched = $0 { true } else { nil }
        }
        try await application.receivesTone()
        guard fixture.core.status?.transmission?.latched != nil else {
            throw Failure("the status does not say that a tap keeps the button talking")
        }
    }

    /// The press, not its release, which begins nothing either.
    private static func nextPressEnds(_ fixture: GuestFixture) async throws {
        let mark = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.ends(.released, after: mark)
        try await ButtonSimulator.release(.ffe0)
        try await isReleased(fixture)
        try await nothingBegins(fixture, after: mark)
    }

    private static func holdTalks(_ fixture: GuestFixture, _ application: Application) async throws {
        let mark = fixture.core.events.count
        try await fixture.talk(.ffe0, to: application)
        let isLatched = fixture.core.events.dropFirst(mark).contains {
            if case .transmissionLatched = $0 { true } else { false }
        }
        guard !isLatched, fixture.core.beginnings(after: mark) == 1 else {
            throw Failure("a hold was taken for a tap")
        }
    }

    private static func actionLatches(_ fixture: GuestFixture) async throws {
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await ActionsFile.with([ActionsFile.commands(of: "accessory = \"ffe0\"")]) {
            try await tapRuns(fixture)
            try await nextPressReleases(fixture)
            try await holdRuns(fixture)
            try await tapRuns(fixture)
            try await ButtonSimulator.perform("disconnect", on: .ffe0)
            try await ActionsFile.has("press", "release", during: "the link is lost")
            try await fixture.ready(.ffe0)
        }
        application.close()
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("a press with an action has begun a transmission")
        }
    }

    /// A tap runs the command of the press, and the release does not run the other one.
    private static func tapRuns(_ fixture: GuestFixture) async throws {
        try await ActionsFile.forget()
        try await tap(fixture)
        try await ActionsFile.has("press", during: "a tap")
        try await staysReleased(fixture)
        try await ActionsFile.has("press", during: "the time after a tap")
    }

    /// The press, and its release runs nothing.
    private static func nextPressReleases(_ fixture: GuestFixture) async throws {
        try await ButtonSimulator.press(.ffe0)
        try await ActionsFile.has("press", "release", during: "the next press")
        try await ButtonSimulator.release(.ffe0)
        try await isReleased(fixture)
        try await staysReleased(fixture)
        try await ActionsFile.has("press", "release", during: "the time after the next press")
    }

    private static func staysReleased(_ fixture: GuestFixture) async throws {
        try await never("the button is pressed by itself", for: .seconds(2)) {
            fixture.accessories.device(Button.ffe0.address)?.isPressed != false
        }
    }

    private static func holdRuns(_ fixture: GuestFixture) async throws {
        try await ActionsFile.forget()
        try await ButtonSimulator.press(.ffe0)
        try await ActionsFile.has("press", during: "a hold")
        try await never("the button is released by itself", for: .seconds(1)) {
            fixture.accessories.device(Button.ffe0.address)?.isPressed != true
        }
        try await ButtonSimulator.release(.ffe0)
        try await ActionsFile.has("press", "release", during: "the release")
    }
}

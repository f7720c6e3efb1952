import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    static let programFaults = [
        Scenario(
            part: 3,
            "ptt-accessoryd is killed while the button is held: the transmission ends",
            killAccessoryd
        ),
        Scenario(
            part: 3,
            "the application is killed while it transmits: the transmission ends",
            killApplication
        ),
        Scenario(part: 3, "the command line is killed while it talks: the transmission ends", killTalk),
        Scenario(part: 3, "the core is killed while it transmits: it comes back not transmitting", killCore),
        Scenario(part: 3, "both daemons are stopped while they transmit: the next press works", stopBoth),
    ]

    private static func killAccessoryd(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        let mark = fixture.core.events.count
        try await Machine.kill("ptt-accessoryd")
        try await fixture.ends(.connectionLost, after: mark)
        try await isSilent(application, fixture)
        try await ButtonSimulator.perform("release", on: .ffe0)
        try await fixture.ready(.ffe0)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    private static func killApplication(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        try await fixture.core.open()
        let recording = try Command(["pttctl", "record", "/tmp/ptt-system-tests.wav"])
        try await until("pttctl has joined") { fixture.core.status?.channel?.application != nil }
        let began = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.core.event("audio is active", after: began) {
            if case .audioActivated = $0 { true } else { nil }
        }
        let mark = fixture.core.events.count
        recording.signal(SIGKILL)
        // Its sockets close one after the other, and the core may notice the end of the audio first.
        try await fixture.ends(.applicationGone, .audioConnectionLost, after: mark)
        try await Machine.nothingRecords()
        try await ButtonSimulator.release(.ffe0)
        // The channel still exists, for its application only.
        let second = try Command(["pttctl", "record", "/tmp/ptt-system-tests.wav"])
        try await until("pttctl is back") { fixture.core.status?.channel?.application != nil }
        let pressed = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.core.event("audio is active again", after: pressed) {
            if case .audioActivated = $0 { true } else { nil }
        }
        try await fixture.release(.ffe0)
        second.signal(SIGINT)
    }

    private static func killTalk(_ fixture: GuestFixture) async throws {
        let application = try await fixture.application()
        let began = fixture.core.events.count
        let talk = try Command(["pttctl", "talk"])
        try await fixture.began("pttctl-\(talk.processID)", after: began)
        try await application.receivesTone()
        let mark = fixture.core.events.count
        talk.signal(SIGKILL)
        try await fixture.ends(.connectionLost, after: mark)
        try await isSilent(application, fixture)
        try await Command.output(of: ["pttctl", "talk", "--for", "1s"])
        application.close()
    }

    private static func killCore(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        try await Machine.kill("pttd")
        try await until("the core is lost") { fixture.core.status == nil }
        try await until("the core is back") { fixture.core.status != nil }
        guard fixture.core.status?.transmission == nil, fixture.core.status?.audio == .inactive else {
            throw Failure("it came back with \(fixture.core.status.map { "\($0)" } ?? "nothing")")
        }
        application.close()
        try await works(fixture)
    }

    private static func stopBoth(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        fixture.core.close()
        fixture.accessories.close()
        try await Machine.systemctl("restart", "ptt-accessoryd", "pttd")
        try await Machine.nothingRecords()
        application.close()
        try await fixture.accessories.open()
        try await works(fixture)
    }

    /// A new application joins, the button is released, and the next press transmits.
    private static func works(_ fixture: GuestFixture) async throws {
        let application = try await fixture.application()
        try await fixture.ready(.ffe0)
        try await ButtonSimulator.perform("release", on: .ffe0)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }
}

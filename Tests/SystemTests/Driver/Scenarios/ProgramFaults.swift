import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    static let programFaults = [
        Scenario(
            3,
            "ptt-accessoryd is killed while the button is held: the transmission ends",
            killAccessoryd
        ),
        Scenario(3, "the application is killed while it transmits: the transmission ends", killApplication),
        Scenario(3, "the command line is killed while it talks: the transmission ends", killTalk),
        Scenario(3, "the core is killed while it transmits: it comes back not transmitting", killCore),
        Scenario(3, "both daemons are stopped while they transmit: the next press works", stopBoth),
    ]

    private static func killAccessoryd(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        let mark = lab.core.events.count
        try await Machine.kill("ptt-accessoryd")
        try await lab.ends(.connectionLost, after: mark)
        try await isSilent(application, lab)
        try await Hand.tell("release", .ffe0)
        try await lab.ready(.ffe0)
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    private static func killApplication(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        try await lab.core.open()
        let recording = try Command(["pttctl", "record", "/tmp/ptt-system-tests.wav"])
        try await until("pttctl has joined") { lab.core.status?.channel?.application != nil }
        let began = lab.core.events.count
        try await Hand.press(.ffe0)
        try await lab.core.event("audio is active", after: began) {
            if case .audioActivated = $0 { true } else { nil }
        }
        let mark = lab.core.events.count
        recording.signal(SIGKILL)
        // Its sockets close one after the other, and the core may meet the end of the audio first.
        try await lab.ends(.applicationGone, .audioConnectionLost, after: mark)
        try await Machine.nobodyRecords()
        try await Hand.release(.ffe0)
        // The channel is still there, for its application alone.
        let second = try Command(["pttctl", "record", "/tmp/ptt-system-tests.wav"])
        try await until("pttctl is back") { lab.core.status?.channel?.application != nil }
        let pressed = lab.core.events.count
        try await Hand.press(.ffe0)
        try await lab.core.event("audio is active again", after: pressed) {
            if case .audioActivated = $0 { true } else { nil }
        }
        try await lab.release(.ffe0)
        second.signal(SIGINT)
    }

    private static func killTalk(_ lab: Lab) async throws {
        let application = try await lab.application()
        let began = lab.core.events.count
        let talk = try Command(["pttctl", "talk"])
        try await lab.began("pttctl-\(talk.processID)", after: began)
        try await application.hearsTone()
        let mark = lab.core.events.count
        talk.signal(SIGKILL)
        try await lab.ends(.connectionLost, after: mark)
        try await isSilent(application, lab)
        try await Command.output(of: ["pttctl", "talk", "--for", "1s"])
        application.close()
    }

    private static func killCore(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        try await Machine.kill("pttd")
        try await until("the core is lost") { lab.core.status == nil }
        try await until("the core is back") { lab.core.status != nil }
        guard lab.core.status?.transmission == nil, lab.core.status?.audio == .inactive else {
            throw Failure("it came back with \(lab.core.status.map { "\($0)" } ?? "nothing")")
        }
        application.close()
        try await works(lab)
    }

    private static func stopBoth(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        lab.core.close()
        lab.accessories.close()
        try await Machine.systemctl("restart", "ptt-accessoryd", "pttd")
        try await Machine.nobodyRecords()
        application.close()
        try await lab.accessories.open()
        try await works(lab)
    }

    /// A new application joins, the button is let go, and the next press transmits.
    private static func works(_ lab: Lab) async throws {
        let application = try await lab.application()
        try await lab.ready(.ffe0)
        try await Hand.tell("release", .ffe0)
        try await lab.talk(.ffe0, to: application)
        application.close()
    }
}

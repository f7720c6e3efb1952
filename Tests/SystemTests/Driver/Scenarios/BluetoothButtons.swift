import AccessoryCore
import EventLoop
import PTTMessages

extension Scenario {
    static let bluetoothButtons =
        Button.atTheStart.map { button in
            Scenario(part: 1, "a paired \(button.file) button carries the microphone while it is held") {
                fixture in
                try await fixture.paired(button)
                let device = fixture.accessories.device(button.address)
                guard device?.profile == (try button.definition().name) else {
                    throw Failure("ptt-accessoryd identifies it as \(device?.profile ?? "nothing")")
                }
                let application = try await fixture.application()
                try await fixture.talk(button, to: application)
                try await isSilent(application, fixture)
                application.close()
            }
        } + [
            Scenario(part: 1, "pttctl record writes the tone while the button is held", recordsTone),
            Scenario(
                part: 1,
                "an AINA button's heartbeat neither begins nor ends a transmission",
                ignoresHeartbeat
            ),
            Scenario(
                part: 1,
                "of three buttons at once, the one that was pressed first transmits",
                threeAtOnce
            ),
        ]

    /// Checks that nothing is captured between two transmissions. Earlier samples may still arrive: audio has
    /// a socket of its own.
    static func isSilent(_ application: Application, _ fixture: GuestFixture) async throws {
        let end = MonotonicInstant.now
        try await Machine.nothingRecords()
        try await never("frames are captured after the end", for: .seconds(1)) {
            application.lastCaptured.nanoseconds > end.nanoseconds
        }
    }

    private static func recordsTone(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        try await fixture.core.open()
        let path = "/tmp/ptt-system-tests.wav"
        let recording = try Command(["pttctl", "record", path, "--once"])
        try await until("pttctl has joined") { fixture.core.status?.channel?.application != nil }
        let mark = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.core.event("audio is active", after: mark) {
            if case .audioActivated = $0 { true } else { nil }
        }
        // The file needs half a second of it, after the talk permit tone, which takes as long here.
        try await never("the transmission ends", for: .seconds(2)) {
            fixture.core.status?.transmission == nil
        }
        try await fixture.release(.ffe0)
        guard try await recording.end() == 0 else { throw Failure(recording.output) }
        var tone = ToneDetector()
        let file = try read(path)
        for start in stride(from: 44, to: file.count, by: 1920) {
            tone.append(file[start..<min(start + 1920, file.count)])
        }
        guard tone.isDetected else { throw Failure("the file has \(tone.description)") }
    }

    private static func ignoresHeartbeat(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.aina)
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await ButtonSimulator.send("80", from: .aina)
        try await fixture.press(.aina, for: application)
        try await ButtonSimulator.send("81", from: .aina)
        try await until("the heartbeat has arrived") { fixture.accessories.events.last?.value == "81" }
        try await application.receivesTone()
        try await fixture.release(.aina)
        guard fixture.core.beginnings(after: mark) == 1 else {
            throw Failure("a heartbeat has begun a transmission")
        }
        application.close()
    }

    private static func threeAtOnce(_ fixture: GuestFixture) async throws {
        for button in Button.atTheStart { try await fixture.paired(button) }
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await fixture.press(.aina, for: application)
        for button in [Button.ffe0, .nordic] {
            try await ButtonSimulator.press(button)
            try await fixture.core.event("\(button.name) is refused", after: mark) {
                if case .transmissionRefused(let origin, _) = $0, origin.identifier == button.address {
                    true
                } else {
                    nil
                }
            }
            try await ButtonSimulator.release(button)
            try await until("\(button.name) is released") {
                fixture.accessories.device(button.address)?.isPressed == false
            }
        }
        guard fixture.core.status?.transmission?.origin.identifier == Button.aina.address else {
            throw Failure("the release of another button has ended the transmission")
        }
        try await application.receivesTone()
        try await fixture.release(.aina)
        for button in Button.atTheStart { try await fixture.talk(button, to: application) }
        application.close()
    }
}

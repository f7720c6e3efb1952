import EventLoop
import PTTMessages

extension Scenario {
    static let bluetoothButtons =
        Button.allCases.map { button in
            Scenario(1, "a paired \(button.profile) button carries the microphone while it is held") { lab in
                try await lab.paired(button)
                let device = lab.accessories.device(button.address)
                guard device?.profile == button.profile else {
                    throw Failure("ptt-accessoryd takes it for \(device?.profile ?? "nothing")")
                }
                let application = try await lab.application()
                try await lab.talk(button, to: application)
                try await isSilent(application, lab)
                application.close()
            }
        } + [
            Scenario(1, "pttctl record writes the tone while the button is held", recordsTone),
            Scenario(
                1,
                "an AINA button's heartbeat neither begins nor ends a transmission",
                ignoresHeartbeat
            ),
            Scenario(1, "of three buttons at once, the one that was pressed first transmits", threeAtOnce),
        ]

    /// Nothing is captured between two transmissions. What was captured before may still be on its way: it comes over
    /// another socket than the end is told on.
    static func isSilent(_ application: Application, _ lab: Lab) async throws {
        let end = MonotonicInstant.now
        try await Machine.nobodyRecords()
        try await never("frames are captured after the end", for: .seconds(1)) {
            application.lastCaptured.nanoseconds > end.nanoseconds
        }
    }

    private static func recordsTone(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        try await lab.core.open()
        let path = "/tmp/ptt-system-tests.wav"
        let recording = try Command(["pttctl", "record", path, "--once"])
        try await until("pttctl has joined") { lab.core.status?.channel?.application != nil }
        let mark = lab.core.events.count
        try await Hand.press(.ffe0)
        try await lab.core.event("audio is active", after: mark) {
            if case .audioActivated = $0 { true } else { nil }
        }
        // One second of it is to be in the file.
        try await never("the transmission ends by itself", for: .seconds(1)) {
            lab.core.status?.transmission == nil
        }
        try await lab.release(.ffe0)
        guard try await recording.end() == 0 else { throw Failure(recording.output) }
        var tone = ToneDetector()
        let file = try read(path)
        for start in stride(from: 44, to: file.count, by: 1920) {
            tone.append(file[start..<min(start + 1920, file.count)])
        }
        guard tone.isHeard else { throw Failure("the file has \(tone.description)") }
    }

    private static func ignoresHeartbeat(_ lab: Lab) async throws {
        try await lab.paired(.aina)
        let application = try await lab.application()
        let mark = lab.core.events.count
        try await Hand.send("80", from: .aina)
        try await lab.press(.aina, for: application)
        try await Hand.send("81", from: .aina)
        try await until("the heartbeat has arrived") { lab.accessories.events.last?.value == "81" }
        try await application.hearsTone()
        try await lab.release(.aina)
        guard lab.core.beginnings(after: mark) == 1 else {
            throw Failure("a heartbeat has begun a transmission")
        }
        application.close()
    }

    private static func threeAtOnce(_ lab: Lab) async throws {
        for button in Button.allCases { try await lab.paired(button) }
        let application = try await lab.application()
        let mark = lab.core.events.count
        try await lab.press(.aina, for: application)
        for button in [Button.ffe0, .nordic] {
            try await Hand.press(button)
            try await lab.core.event("\(button.name) is refused", after: mark) {
                if case .transmissionRefused(let origin, _) = $0, origin.identifier == button.address {
                    true
                } else {
                    nil
                }
            }
            try await Hand.release(button)
            try await until("\(button.name) is let go") {
                lab.accessories.device(button.address)?.isPressed == false
            }
        }
        guard lab.core.status?.transmission?.origin.identifier == Button.aina.address else {
            throw Failure("letting another button go has ended the transmission")
        }
        try await application.hearsTone()
        try await lab.release(.aina)
        for button in Button.allCases { try await lab.talk(button, to: application) }
        application.close()
    }
}

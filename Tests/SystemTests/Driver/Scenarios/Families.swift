import AccessoryCore
import EventLoop
import PTTMessages

extension Scenario {
    /// Families beside those of the start, made from the files that ptt-accessoryd reads too.
    private static let buttons = [
        // The same edge on two characteristics.
        ("td-q2l", "TID-MIC-Q2L-1"),
        ("zello-bits", "MyZello"),
        // A second characteristic with a button of its own.
        ("microbit", "BBC-micro:bit"),
        // The characters 1 and 0.
        ("bt401", "KLEIN_PTT_BLE"),
        ("elet", "ELET-PTT1"),
        ("b01-ble", "B01"),
        // Written on connecting; clicks only.
        ("coda", "CODA-1"),
        ("itag", "iTAG"),
        ("mbed-button", "mbed"),
        ("v-alrt", "V.ALRT"),
        ("pryme-bth", "BTH-600"),
    ].enumerated().map { number, button in
        Button(key: "9", file: button.0, name: button.1, address: "F0:00:00:00:01:\(10 + number)")
    }

    static let families = buttons.map { button in
        Scenario(part: 12, "a \(button.file) button: press, release, and the loss of its link") { fixture in
            let definition = try button.definition()
            try await ButtonSimulator.add(button)
            try await fixture.paired(button)
            guard fixture.accessories.device(button.address)?.profile == definition.name else {
                throw Failure(
                    "it is identified as \(fixture.accessories.device(button.address)?.profile ?? "nothing")"
                )
            }
            try await isWritten(definition, to: button)
            let application = try await fixture.application()
            // As a person: a tap within 250 ms of the last one, which enrolled it, begins nothing.
            try await never("", for: .milliseconds(300)) { false }
            try await fixture.press(button, for: application)
            if definition.isTapOnly(.talk) {
                let mark = fixture.core.events.count
                try await ButtonSimulator.press(button)
                try await fixture.ends(.released, after: mark)
            } else {
                try await fixture.release(button)
            }
            try await isSilent(application, fixture)
            try await fixture.press(button, for: application)
            let mark = fixture.core.events.count
            try await ButtonSimulator.perform("vanish", on: button, with: "0.5")
            try await fixture.ends(.linkLost, after: mark)
            try await isSilent(application, fixture)
            application.close()
            try await Command.output(of: ["pttctl", "forget", button.address])
        }
    }

    /// Waits for the writes of its file on connecting.
    private static func isWritten(_ definition: AccessoryDefinition, to button: Button) async throws {
        for write in definition.connection.writes {
            guard case .value(let bytes) = write.change else { continue }
            let digits = bytes.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
            try await eventually("\(digits) is written to the button") {
                try await ButtonSimulator.perform("written \(button.key)").contains("=\(digits)")
            }
        }
    }
}

import EventLoop
import JSON
import PTTMessages

extension Scenario {
    /// Buttons that the machine has never seen.
    static let fromTheBox = [
        Scenario(
            part: 16,
            "a new button is paired, and talks after a restart of both daemons without another step",
            pairedOnce
        ),
        Scenario(
            part: 16,
            "pttctl learn finds out what an unknown button sends, and the button is used at once",
            learned
        ),
    ]

    private static func pairedOnce(_ fixture: GuestFixture) async throws {
        let button = Button(key: "9", file: "ffe0", name: "PTT-Z03", address: "F0:00:00:00:03:01")
        try await ButtonSimulator.add(button)
        try await fixture.pair(button)
        try await Machine.systemctl("restart", "ptt-accessoryd", "pttd")
        try await fixture.accessories.open()
        try await fixture.ready(button)
        let application = try await fixture.application()
        try await fixture.talk(button, to: application)
        application.close()
        try await Command.output(of: ["pttctl", "forget", button.address])
    }

    private static func learned(_ fixture: GuestFixture) async throws {
        try await fixture.accessories.open()
        try await UnknownButton.add()
        try await Machine.found(UnknownButton.button)
        let learned = "\(UnknownButton.folder)/\(UnknownButton.button.file).toml"
        try await restoring(by: "rm -f \(learned)") {
            let application = try await fixture.application()
            let mark = fixture.core.events.count
            try await UnknownButton.learn()
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a press of a button that is being learned has begun a transmission")
            }
            try await Command.output(of: ["pttctl", "accessory", "check", learned])
            try await fixture.ready(UnknownButton.button)
            try await fixture.talk(UnknownButton.button, to: application)
            try await isSilent(application, fixture)
            application.close()
            try await Command.output(of: ["pttctl", "forget", UnknownButton.button.address])
        }
    }
}

/// A button that no installed accessory file describes.
@EventLoop
private enum UnknownButton {
    static let folder = "/home/dev/.config/pushtotalk/accessories"
    /// Its file is the one that is to be learned.
    static let button = Button(
        key: "9",
        file: "learned-mystery",
        name: "MYSTERY",
        address: "F0:00:00:00:03:02"
    )

    private static let path = "/tmp/mystery.toml"
    private static let service = "12345678-1234-5678-1234-56789abcdef0"
    private static let text = """
        name = "Mystery"
        confidence = "unverified"
        [match]
        service = ["\(service)"]
        [[input]]
        service = "\(service)"
        characteristic = "12345678-1234-5678-1234-56789abcdef1"
        bytes = { "31" = "talk down", "30" = "talk up" }
        """

    /// As long as a finger needs, and shorter than the time that `pttctl learn` gives it.
    private static let reaction = Duration.milliseconds(150)

    private struct Request {
        let name: String

        init?(_ line: Substring) {
            guard let object = (try? JSON(parsing: String(line)))?.object,
                let name = object["request"]?.string
            else { return nil }
            self.name = name
        }
    }

    static func add() async throws {
        try await Command.output(of: ["sh", "-c", "printf '%s' \"$1\" > \(path)", "sh", text])
        try await ButtonSimulator.add(button, from: path)
    }

    /// `pttctl learn`, and what it asks for.
    static func learn() async throws {
        let command = try Command(["pttctl", "learn", button.address, "--json"])
        var answered = 0
        while true {
            let known = answered
            try await until("pttctl learn asks for something, or ends", within: .seconds(90)) {
                lines(of: command).count > known || command.status != nil
            }
            guard lines(of: command).count > answered else { break }
            if let request = Request(lines(of: command)[answered]) { try await answer(request) }
            answered += 1
        }
        guard command.status == 0 else { throw Failure("pttctl learn failed: \(command.output)") }
    }

    private static func lines(of command: Command) -> [Substring] { command.output.split(separator: "\n") }

    private static func answer(_ request: Request) async throws {
        switch request.name {
        case "press": try await ButtonSimulator.press(button)
        case "letGo": try await ButtonSimulator.release(button)
        case "pressTwice":
            for _ in 0..<2 {
                try await ButtonSimulator.press(button)
                _ = await Conditions.wait(reaction) { false }
                try await ButtonSimulator.release(button)
                _ = await Conditions.wait(reaction) { false }
            }
        case "leaveAlone": break
        default: throw Failure("pttctl learn asks for \(request.name)")
        }
    }
}

import EventLoop
import PTTMessages

extension Scenario {
    /// A button that latches, and whose presses are recordings in a folder.
    static let recordings = [
        Scenario(part: 12, "a tap keeps a recording until the next press, and each is one file of the folder")
        {
            fixture in
            try await fixture.configured("time-limit = 60") {
                try await fixture.accessories.open()
                try await fixture.pair(.ffe0, "--mode", "latch")
                try await fixture.ready(.ffe0)
                try await fixture.core.open()
                try await ActionsFile.with([entry]) {
                    try await areKept(fixture)
                }
            }
        }
    ]

    private static let folder = "/home/dev/Recordings"
    private static let entry =
        "[[action]]\naccessory = \"ffe0\"\nbutton = \"talk\"\nrecord = \"~/Recordings\""

    private static func areKept(_ fixture: GuestFixture) async throws {
        try await restoring(by: "rm -rf \(folder)") {
            try await tapRecords(fixture)
            try await ButtonSimulator.press(.ffe0)
            try await endsAsFile(1, fixture)
            try await ButtonSimulator.release(.ffe0)
            try await tapRecords(fixture)
            try await ButtonSimulator.perform("disconnect", on: .ffe0)
            try await endsAsFile(2, fixture)
            try await fixture.ready(.ffe0)
        }
    }

    /// Shorter than 300 ms, as a person taps.
    private static func tapRecords(_ fixture: GuestFixture) async throws {
        try await ButtonSimulator.press(.ffe0)
        try await ButtonSimulator.release(.ffe0)
        try await until("a tap records") { fixture.core.status?.transmission?.recording != nil }
        try await eventually("the microphone is open") { try await Machine.coreRecords() }
        try await never("the release of a tap ends the recording", for: .seconds(2)) {
            fixture.core.status?.transmission?.recording == nil
        }
    }

    /// The microphone is closed, and the folder has so many files, the last of which has the tone.
    private static func endsAsFile(_ count: Int, _ fixture: GuestFixture) async throws {
        try await until("the recording ends") { fixture.core.status?.transmission == nil }
        try await Machine.nothingRecords()
        try await eventually("\(count) recordings are in the folder") {
            try await files().count == count
        }
        for file in try await files() {
            guard file.name.hasSuffix(" talk.wav"), file.mode == "600" else {
                throw Failure("a recording is called \(file.name), and has the mode \(file.mode)")
            }
            var tone = ToneDetector()
            tone.append(try await samples(of: file.name)[...])
            guard tone.isDetected else { throw Failure("\(file.name): \(tone.description)") }
        }
    }

    private static func files() async throws -> [(mode: String, name: String)] {
        // The folder may not be there yet, and a recording that is not whole has another ending.
        let list = try await Command.output(of: [
            "find", "/home/dev", "-maxdepth", "2", "-path", "\(folder)/*.wav", "-printf", "%m %f\\n",
        ])
        return list.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1).map { String($0) }
            return (parts[0], parts.last ?? "")
        }
    }

    /// Without the header, of 44 bytes.
    private static func samples(of name: String) async throws -> [UInt8] {
        let dump = ["sh", "-c", "tail -c +45 \"$0\" | head -c 288000 | od -An -v -tx1", "\(folder)/\(name)"]
        return try await Command.output(of: dump).split { $0 == " " || $0 == "\n" }
            .compactMap { UInt8($0, radix: 16) }
    }
}

import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    /// A headset that plays music in one profile and has its microphone in another one (A2DP and HFP), as the
    /// session manager of the sound server handles it.
    static let bluetoothHeadsets = [
        Scenario(
            part: 22,
            "a press opens the microphone of a Bluetooth headset, and gives it its music back",
            talks
        ),
        Scenario(
            part: 22,
            "a press while a Bluetooth headset changes its profile back has its microphone again",
            pressesAgain
        ),
        keepsIt("conversation"),
        keepsIt("channel"),
        Scenario(
            part: 22,
            "a Bluetooth headset that is for music keeps it, and another microphone talks",
            music
        ),
        Scenario(
            part: 22,
            "the link to the Bluetooth headset that talks is lost: the transmission ends",
            lostLink
        ),
    ]

    private static func talks(_ fixture: GuestFixture) async throws {
        try await SoundHeadset.inUse(fixture, as: "transmission") { headset, application in
            for _ in 1...2 {
                // Music may open the voice link as well, until WirePlumber changes the profile back: with
                // 0.5.18 two seconds after the release.
                let before = try await headset.openings()
                try await fixture.press(.ffe0, for: application)
                try await headset.talks(fixture)
                guard try await headset.openings() == before + 1 else {
                    throw Failure("it was opened more than once")
                }
                try await fixture.release(.ffe0)
                try await headset.plays()
            }
        }
    }

    private static func pressesAgain(_ fixture: GuestFixture) async throws {
        try await SoundHeadset.inUse(fixture, as: "transmission") { headset, application in
            for _ in 1...3 {
                try await fixture.press(.ffe0, for: application)
                try await headset.talks(fixture)
                try await fixture.release(.ffe0)
            }
            try await headset.plays()
        }
    }

    /// Where WirePlumber 0.5 changes the profile itself, the headset plays music between two transmissions.
    private static func keepsIt(_ mode: String) -> Scenario {
        Scenario(part: 22, "each press of a \(mode) opens the microphone of a Bluetooth headset") { fixture in
            try await SoundHeadset.inUse(fixture, as: mode) { headset, application in
                for _ in 1...2 {
                    try await fixture.press(.ffe0, for: application)
                    try await headset.talks(fixture)
                    try await fixture.release(.ffe0)
                    // Longer than a change of the profile takes.
                    try await never("a transmission begins", for: .seconds(3)) {
                        fixture.core.status?.transmission != nil
                    }
                }
            }
        }
    }

    private static func music(_ fixture: GuestFixture) async throws {
        try await SoundHeadset.inUse(fixture, as: "music") { headset, application in
            try await fixture.press(.ffe0, for: application)
            // Longer than WirePlumber 0.5 takes to change the profile of a headset from which something
            // records.
            try await never("the transmission ends", for: .seconds(3)) {
                fixture.core.status?.transmission == nil
            }
            try await headset.plays()
            try await fixture.release(.ffe0)
            guard try await headset.openings() == 0 else { throw Failure("its microphone was opened") }
        }
    }

    private static func lostLink(_ fixture: GuestFixture) async throws {
        try await SoundHeadset.inUse(fixture, as: "transmission") { headset, application in
            try await fixture.press(.ffe0, for: application)
            try await headset.talks(fixture)
            let mark = fixture.core.events.count
            try await ButtonSimulator.perform("vanish", on: SoundHeadset.button, with: "0.5")
            try await fixture.ends(.microphoneLost, after: mark)
            try await Machine.nothingRecords()
            try await ButtonSimulator.perform("return", on: SoundHeadset.button)
            try await ButtonSimulator.release(.ffe0)
            try await headset.connect()
            try await headset.plays()
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began when the headset came back")
            }
        }
    }
}

/// A headset as one buys it, in use for music: the default speaker, and something plays on it all the time.
@EventLoop
private struct SoundHeadset {
    static let button = Button(
        key: "sound",
        file: "headset-avrcp",
        name: "HEADSET-2",
        address: "00:1B:DC:00:00:80"
    )

    private static let card = "bluez_card." + button.address.split(separator: ":").joined(separator: "_")

    /// Runs `body` with an application that has joined and a button that is paired.
    static func inUse(
        _ fixture: GuestFixture,
        as mode: String,
        _ body: @EventLoop (SoundHeadset, Application) async throws -> Void
    ) async throws {
        // Without a session at the screen WirePlumber leaves Bluetooth to the others.
        try await Scenario.atTheScreen { _ in
            try await fixture.configured("bluetooth-headset = \"\(mode)\"") {
                try await fixture.paired(.ffe0)
                try await ButtonSimulator.add(button)
                try await Scenario.restoring(by: "\(Machine.removal(of: button)) || true") {
                    let headset = SoundHeadset()
                    try await Machine.bonded(button)
                    try await headset.connect()
                    let music = try Command([
                        "sh", "-c",
                        "while :; do paplay --raw --rate=48000 --channels=2 --format=s16le /opt/guest/tone.pcm; done",
                    ])
                    defer { music.signal(SIGTERM) }
                    try await headset.plays()
                    let application = try await fixture.application()
                    try await body(headset, application)
                    application.close()
                }
            }
        }
    }

    func connect() async throws {
        try await eventually("the headset is the default speaker") {
            let path = Machine.path(of: Self.button)
            _ = try await Command.run([
                "busctl", "--system", "--timeout=60", "call", "org.bluez", path, "org.bluez.Device1",
                "Connect",
            ])
            return try await Command.run(["pactl", "get-default-sink"]).output.hasPrefix("bluez_output.")
        }
    }

    /// Music arrives at the headset, and its microphone is closed.
    func plays() async throws {
        try await eventually("music arrives at the headset") {
            try await says("playing=yes microphone=closed")
        }
        guard try await profile().hasPrefix("a2dp-sink") else {
            throw Failure("its profile is \(try await profile())")
        }
    }

    func talks(_ fixture: GuestFixture) async throws {
        guard let source = fixture.core.status?.microphone?.name, source.hasPrefix("bluez_input.") else {
            throw Failure("another microphone is open: \(fixture.core.status.map { "\($0)" } ?? "no status")")
        }
        guard try await says("microphone=open") else {
            throw Failure("its microphone is not open: \(try await sound())")
        }
    }

    /// How often its voice link was opened, which its microphone needs, and which carries music as well.
    func openings() async throws -> Int {
        let sound = try await sound()
        let calls = sound.split(separator: " ").first { $0.hasPrefix("calls=") }
        guard let count = calls.flatMap({ Int($0.dropFirst(6)) }) else { throw Failure("no count: \(sound)") }
        return count
    }

    private func says(_ text: String) async throws -> Bool { try await sound().contains(text) }

    private func sound() async throws -> String {
        try await ButtonSimulator.perform("sound \(Self.button.key)")
    }

    private func profile() async throws -> String {
        let cards = try await Command.output(of: ["pactl", "list", "cards"])
        let lines = cards.split(separator: "\n").drop { !$0.hasSuffix("Name: \(Self.card)") }
        let active = lines.first { $0.hasPrefix("\tActive Profile: ") }
        return active.map { String($0.dropFirst(17)) } ?? "none"
    }
}

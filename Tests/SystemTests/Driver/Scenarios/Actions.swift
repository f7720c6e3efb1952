import EventLoop
import Input
import PTTMessages
import ServiceClient

extension Scenario {
    static let actions = [
        Scenario(
            part: 12,
            "a button with an action runs its commands, holds a granted key or records, and its release comes "
                + "whatever ends",
            areReleased
        ),
        Scenario(
            part: 12,
            "the key of a wired headset with an action reaches no media player, can be learned, and unplugging it is "
                + "the release",
            wired
        ),
    ]

    static let key = "[[action]]\naccessory = \"aina\"\nbutton = \"talk\"\nkey = \"KEY_F13\""

    /// One button runs commands, one holds a key, and one records.
    private static let entries = [
        ActionsFile.commands(of: "accessory = \"ffe0\""), key,
        ReceivedRecordings.action(of: "accessory = \"nordic-led-button\""),
    ]

    private static func areReleased(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            for button in ThreePresses.buttons { try await fixture.paired(button) }
            try await Machine.root("pttctl grant actions KEY_F13")
            let ending =
                "pttctl revoke actions; test ! -e /run/pushtotalk/keys && test ! -e /etc/pushtotalk/keys"
            try await restoring(by: ending) {
                try await isRefused("nobody", "KEY_F13", because: "in front of the screen")
                try await isRefused("dev", "KEY_A", because: "KEY_A is not granted")
                try await ActionsFile.with(entries) {
                    let other = try await Seat.logIn("root", terminal: 4)
                    let presses = try await ThreePresses(own, other, fixture)
                    for end in ThreePresses.End.allCases { try await presses.end(by: end) }
                    let deaths = Environment.variable("DEATHS").flatMap { Int($0) }
                    try await presses.endAtRandom(times: deaths ?? 0)
                    try presses.areNotHeard()
                }
            }
            let application = try await fixture.application()
            for button in ThreePresses.buttons {
                try await fixture.ready(button)
                try await fixture.talk(button, to: application)
            }
            application.close()
        }
    }

    private static func isRefused(_ user: String, _ key: String, because reason: String) async throws {
        let call = #"{"method": "org.pushtotalk.Key.Offer", "parameters": {"keys": ["KEY"]}}"#
            .replacing("KEY", with: key).replacing("\"", with: "\\\"")
        let script =
            "import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(20); "
            + "s.connect('/run/pushtotalk/keys'); s.send(b'\(call)' + bytes(1)); print(s.recv(4096))"
        let answer = try await Machine.root("sudo -u \(user) python3 -c \"\(script)\"")
        guard answer.contains(reason) else { throw Failure("\(user) asks for \(key): \(answer)") }
    }

    private static func wired(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset", keys: [.playPause])
        let identifier = try await headset.ready(fixture.accessories)
        let player = try OtherReader(headset.node)
        let mark = fixture.core.events.count
        try await ActionsFile.with([ActionsFile.commands(of: "device = \"\(identifier)\"")]) {
            // Until ptt-accessoryd has read the file the key is grabbed by nobody.
            try await reachesNobodyElse(headset, player)
            try await canBeLearned(headset, identifier)
            try await reachesNobodyElse(headset, player)
            try await eventually("it is released") {
                if try await ActionsFile.written().last == "release" { return true }
                try await headset.press(.playPause)
                return false
            }
            try await ActionsFile.forget()
            try await headset.press(.playPause)
            try await ActionsFile.has("press", during: "the key is pressed")
            headset.unplug()
            try await ActionsFile.has("press", "release", during: "the headset is unplugged")
        }
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("a press with an action has begun a transmission")
        }
    }

    private static func reachesNobodyElse(_ headset: Headset, _ player: OtherReader) async throws {
        try await eventually("the key runs its action and reaches nobody else") {
            let seen = player.pressed.count
            try await headset.press(.playPause)
            _ = await Conditions.wait(.seconds(1)) { player.pressed.count > seen }
            return player.pressed.count == seen
        }
    }

    private static func canBeLearned(_ headset: Headset, _ identifier: String) async throws {
        var (isListening, isHeard) = (false, false)
        let connection = try ServiceConnection.accessory()
        defer { connection.close() }
        connection.subscribe(
            AccessoryInterface.learn,
            AccessoryInterface.LearnRequest(device: identifier),
            { reply in
                if reply.device != nil { isListening = true }
                if reply.frame?.key != nil { isHeard = true }
                Conditions.evaluate()
            },
            ended: { _ in }
        )
        try await until("ptt-accessoryd listens to it") { isListening }
        try await headset.press(.playPause)
        try await until("the press is heard") { isHeard }
    }
}

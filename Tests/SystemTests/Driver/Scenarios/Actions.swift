import EventLoop
import Input

extension Scenario {
    static let actions = [
        Scenario(
            part: 12,
            "a button with an action runs its commands or holds a granted key, and its release comes whatever ends",
            areReleased
        ),
        Scenario(
            part: 12,
            "the key of a wired headset with an action reaches no media player, and unplugging it is the release",
            wired
        ),
    ]

    /// The button that holds a key; the other one runs commands.
    private static let key = "[[action]]\naccessory = \"aina\"\nbutton = \"talk\"\nkey = \"KEY_F13\""

    private static func areReleased(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            for button in [Button.ffe0, .aina] { try await fixture.paired(button) }
            // A press could be heard.
            let application = try await fixture.application()
            let mark = fixture.core.events.count
            try await Machine.root("pttctl grant actions KEY_F13")
            let ending =
                "pttctl revoke actions; test ! -e /run/pushtotalk/keys && test ! -e /etc/pushtotalk/keys"
            try await restoring(by: ending) {
                try await isRefused("nobody", "KEY_F13", because: "in front of the screen")
                try await isRefused("dev", "KEY_A", because: "KEY_A is not granted")
                try await ActionsFile.with([ActionsFile.commands(of: "accessory = \"ffe0\""), key]) {
                    let other = try await Seat.logIn("root", terminal: 4)
                    let presses = TwoPresses(try KeyReader(), own, other, fixture)
                    for end in TwoPresses.End.allCases { try await presses.end(by: end) }
                    let deaths = Environment.variable("DEATHS").flatMap { Int($0) }
                    try await presses.endAtRandom(times: deaths ?? 0)
                }
            }
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a press with an action has begun a transmission")
            }
            for button in [Button.ffe0, .aina] {
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
            try await eventually("the key runs its action and reaches nobody else") {
                let seen = player.pressed.count
                try await headset.press(.playPause)
                _ = await Conditions.wait(.seconds(1)) { player.pressed.count > seen }
                return player.pressed.count == seen
            }
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
}

/// Two buttons that are pressed at once, of which one runs commands and the other holds a key.
@EventLoop
private final class TwoPresses {
    /// What ends them.
    enum End: CaseIterable {
        case release, link, accessoryd, actions, command, keys, stop, session
    }

    private static let buttons = [Button.ffe0, .aina]
    private let keys: KeyReader
    private let own: Seat.Session
    /// Another person's, behind it.
    private let other: Seat.Session
    private let fixture: GuestFixture

    init(_ keys: KeyReader, _ own: Seat.Session, _ other: Seat.Session, _ fixture: GuestFixture) {
        (self.keys, self.own, self.other, self.fixture) = (keys, own, other, fixture)
    }

    /// Both are down before something ends them.
    func end(by end: End) async throws {
        for button in Self.buttons { try await fixture.ready(button) }
        // The first press after an end of the key's device makes a new one.
        try await eventually("\(end): the key is pressed and released") {
            let seen = keys.releases
            try await ButtonSimulator.press(.aina)
            _ = await Conditions.wait(.milliseconds(300)) { [keys] in keys.isDown }
            try await ButtonSimulator.release(.aina)
            return await Conditions.wait(.seconds(2)) { [keys] in keys.releases > seen && !keys.isDown }
        }
        try await ActionsFile.forget()
        for button in Self.buttons { try await ButtonSimulator.press(button) }
        try await ActionsFile.has("press", during: "\(end)")
        try await until("\(end): the key is down") { [keys] in keys.isDown }
        try await perform(end)
        // The buttons are held where nothing but their commands has ended.
        if end != .command { try await until("\(end): the key is released") { [keys] in !keys.isDown } }
        if [.command, .keys].contains(end) { try await releaseAll() }
        try await until("\(end): the key is released") { [keys] in !keys.isDown }
        try await ActionsFile.has("press", "release", during: "\(end)")
        try await restore(after: end)
    }

    /// Presses that end a moment later, while their commands start, run, or end.
    func endAtRandom(times: Int) async throws {
        try await ActionsFile.forget()
        var ends: [End: Int] = [:]
        for number in 0..<times {
            let end = End.allCases.randomElement() ?? .release
            let delay = Duration.milliseconds(.random(in: 0...1000))
            let step = "death \(number), \(end) after \(delay)"
            for button in Self.buttons { try await fixture.ready(button) }
            for button in Self.buttons.shuffled() { try await ButtonSimulator.press(button) }
            _ = await Conditions.wait(delay) { false }
            try await perform(end)
            try await releaseAll()
            try await areReleased(during: step)
            try await restore(after: end)
            ends[end, default: 0] += 1
        }
        // What was still on its way at the last look.
        try await areReleased(during: "the end")
        let presses = try await ActionsFile.invocations(of: "release").count
        guard 2 * presses >= times, 2 * keys.presses >= times else {
            throw Failure("of \(times) presses \(presses) ran a command and \(keys.presses) held the key")
        }
        if times > 0 { print("\(presses) presses ran commands, \(keys.presses) held the key: \(ends)") }
    }

    /// Nothing is held, and each press was released once.
    private func areReleased(during step: String) async throws {
        try await eventually("\(step): all is released") {
            let releases = try await ActionsFile.invocations(of: "release")
            guard Set(releases).count == releases.count else {
                throw Failure("\(step): a press was released twice: \(releases)")
            }
            let presses = try await ActionsFile.invocations(of: "press")
            let units = try await Machine.systemctl("list-units", "--quiet", "ptt-action-*")
            return Set(presses).isSubset(of: releases) && units.isEmpty && !keys.isDown
        }
    }

    private func perform(_ end: End) async throws {
        switch end {
        case .release: try await releaseAll()
        case .link:
            for button in Self.buttons { try await ButtonSimulator.perform("disconnect", on: button) }
        case .accessoryd: try await Machine.kill("ptt-accessoryd")
        case .actions: try await Machine.kill("ptt-actions")
        // That of the press; it may have ended already.
        case .command:
            let kill = ["systemctl", "--user", "kill", "-s", "KILL", "--kill-whom=main", "ptt-action-*"]
            _ = try await Command.run(kill)
        case .keys: try await Machine.root("systemctl kill -s KILL 'ptt-keys@*'")
        case .stop: try await Machine.systemctl("stop", "ptt-actions.service")
        case .session: try await other.activate()
        }
    }

    private func releaseAll() async throws {
        for button in Self.buttons { try await ButtonSimulator.release(button) }
    }

    private func restore(after end: End) async throws {
        try await releaseAll()
        if end == .session { try await own.activate() }
    }
}

import EventLoop
import Input

extension Scenario {
    static let actions = [
        Scenario(
            part: 12,
            "a button with an action runs its command in place of the microphone, and its release always comes",
            runsCommands
        ),
        Scenario(
            part: 12,
            "the key of a wired headset with an action reaches no media player, and unplugging it is the release",
            wired
        ),
    ]

    private static let file = "/home/dev/.config/pushtotalk/actions.toml"
    private static let log = "/home/dev/actions.log"

    private static func runsCommands(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        // A press could be heard.
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await withAction(of: "accessory = \"ffe0\"") {
            for loss in Loss.allCases { try await isReleased(by: loss, fixture) }
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a press with an action has begun a transmission")
            }
        }
        let units = try await Machine.systemctl("list-units", "--quiet", "ptt-action-*")
        guard units.isEmpty else { throw Failure("these are left: \(units)") }
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    /// With commands that write to a file what they do.
    private static func withAction(
        of subject: String,
        _ body: @EventLoop () async throws -> Void
    ) async throws {
        let entry =
            "[[action]]\\n\(subject)\\nbutton = \"talk\"\\n"
            + ["press", "release"].map { "\($0) = [\"sh\", \"-c\", \"echo \($0) >> \(log)\"]\\n" }.joined()
        try await Command.output(of: [
            "sh", "-c", "mkdir -p ${0%/*} && printf '\(entry)' > $0.new && mv $0.new $0", file,
        ])
        try await restoring(by: "rm -f \(file) \(log)") {
            try await eventually("the service of the actions runs") {
                try await Machine.isActive("ptt-actions.service")
            }
            try await body()
        }
    }

    private static func wired(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset", keys: [.playPause])
        let identifier = try await headset.ready(fixture.accessories)
        let player = try OtherReader(headset.node)
        let mark = fixture.core.events.count
        try await withAction(of: "device = \"\(identifier)\"") {
            // Until ptt-accessoryd has read the file the key is grabbed by nobody.
            try await eventually("the key runs its action and reaches nobody else") {
                let seen = player.pressed.count
                try await headset.press(.playPause)
                _ = await Conditions.wait(.seconds(1)) { player.pressed.count > seen }
                return player.pressed.count == seen
            }
            try await eventually("it is released") {
                let (_, text) = try await Command.run(["cat", log])
                if text.hasSuffix("release\n") { return true }
                try await headset.press(.playPause)
                return false
            }
            try await Command.output(of: ["rm", log])
            try await headset.press(.playPause)
            try await isLogged("press\n")
            headset.unplug()
            try await isLogged("press\nrelease\n")
        }
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("a press with an action has begun a transmission")
        }
    }

    private enum Loss: CaseIterable {
        case release, link, accessoryd, actions, stop
    }

    private static func isReleased(by loss: Loss, _ fixture: GuestFixture) async throws {
        try await fixture.ready(.ffe0)
        try await ButtonSimulator.press(.ffe0)
        try await isLogged("press\n", "\(loss)")
        switch loss {
        case .release: try await ButtonSimulator.release(.ffe0)
        case .link: try await ButtonSimulator.perform("disconnect", on: .ffe0)
        case .accessoryd: try await Machine.kill("ptt-accessoryd")
        case .actions: try await Machine.kill("ptt-actions")
        case .stop: try await Machine.systemctl("stop", "ptt-actions.service")
        }
        try await isLogged("press\nrelease\n", "\(loss)")
        if loss != .release { try await ButtonSimulator.perform("release", on: .ffe0) }
        try await Command.output(of: ["rm", log])
    }

    private static func isLogged(_ text: String, _ step: String = "wired") async throws {
        try await eventually("\(step): the commands have written \(text.debugDescription)") {
            try await Command.run(["cat", log]).output == text
        }
    }
}

import EventLoop

extension Scenario {
    static let actions = [
        Scenario(
            part: 12,
            "a button with an action runs its command in place of the microphone, and its release always comes",
            runsCommands
        )
    ]

    private static let file = "/home/dev/.config/pushtotalk/actions.toml"
    private static let log = "/home/dev/actions.log"

    private static func runsCommands(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        // A press could be heard.
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        let entry =
            "[[action]]\\naccessory = \"ffe0\"\\nbutton = \"talk\"\\n"
            + ["press", "release"].map { "\($0) = [\"sh\", \"-c\", \"echo \($0) >> \(log)\"]\\n" }.joined()
        try await Command.output(of: [
            "sh", "-c", "mkdir -p ${0%/*} && printf '\(entry)' > $0.new && mv $0.new $0", file,
        ])
        try await restoring(by: "rm -f \(file) \(log)") {
            try await eventually("the service of the actions runs") {
                try await Machine.isActive("ptt-actions.service")
            }
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

    private enum Loss: CaseIterable {
        case release, link, accessoryd, actions, stop
    }

    private static func isReleased(by loss: Loss, _ fixture: GuestFixture) async throws {
        try await fixture.ready(.ffe0)
        try await ButtonSimulator.press(.ffe0)
        try await isLogged("press\n", loss)
        switch loss {
        case .release: try await ButtonSimulator.release(.ffe0)
        case .link: try await ButtonSimulator.perform("disconnect", on: .ffe0)
        case .accessoryd: try await Machine.kill("ptt-accessoryd")
        case .actions: try await Machine.kill("ptt-actions")
        case .stop: try await Machine.systemctl("stop", "ptt-actions.service")
        }
        try await isLogged("press\nrelease\n", loss)
        if loss != .release { try await ButtonSimulator.perform("release", on: .ffe0) }
        try await Command.output(of: ["rm", log])
    }

    private static func isLogged(_ text: String, _ loss: Loss) async throws {
        try await eventually("\(loss): the commands have written \(text.debugDescription)") {
            try await Command.run(["cat", log]).output == text
        }
    }
}

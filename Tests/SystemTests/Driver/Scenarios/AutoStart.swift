import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let autoStart = [
        Scenario(part: 6, "plugging a headset in starts ptt-accessoryd, and its first press transmits") {
            fixture in
            try await nothingRuns(fixture)
            let headset = try await Headset.plugIn("System Test Headset")
            // Asked in this way, because connecting to its socket would start it as well.
            try await eventually("udev and systemd start ptt-accessoryd") {
                try await Machine.isActive("ptt-accessoryd")
            }
            try await Command.output(of: ["pttctl", "join"])
            let application = try await fixture.application()
            let identifier = try await headset.ready(fixture.accessories)
            var mark = fixture.core.events.count
            try await headset.press(.playPause)
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            mark = fixture.core.events.count
            try await headset.press(.playPause)
            try await fixture.ends(.released, after: mark)
            application.close()
            headset.unplug()
        },
        Scenario(
            part: 6,
            "plugging the Bluetooth adapter in starts ptt-accessoryd, and the button's first press transmits"
        ) { fixture in
            try await fixture.paired(.ffe0)
            try await ButtonSimulator.perform("unplug")
            try await nothingRuns(fixture)
            try await ButtonSimulator.perform("plug")
            try await eventually("udev and systemd start ptt-accessoryd") {
                try await Machine.isActive("ptt-accessoryd")
            }
            let application = try await fixture.application()
            try await fixture.accessories.open()
            try await fixture.ready(.ffe0)
            try await fixture.talk(.ffe0, to: application)
            application.close()
        },
    ]

    private static func nothingRuns(_ fixture: GuestFixture) async throws {
        fixture.core.close()
        fixture.accessories.close()
        try await Machine.systemctl("stop", "ptt-accessoryd.service", "pttd.service")
        let (_, running) = try await Command.run([
            "pgrep", "--list-full", "--full", "^/usr/bin/(pttd|ptt-accessoryd)",
        ])
        guard running.isEmpty else { throw Failure("still running: \(running)") }
    }
}

import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let autoStart = [
        Scenario(6, "plugging a headset in starts ptt-accessoryd, and its first press transmits") { lab in
            try await nothingRuns(lab)
            let headset = try await Headset.plugIn("System Test Headset")
            // Asked in this way, because connecting to its socket would start it as well.
            try await eventually("udev and systemd start ptt-accessoryd") {
                try await Machine.isActive("ptt-accessoryd")
            }
            try await Command.output(of: ["pttctl", "join"])
            let application = try await lab.application()
            let identifier = try await headset.ready(lab.accessories)
            var mark = lab.core.events.count
            try headset.press(.playPause)
            try await lab.began(identifier, after: mark)
            try await application.hearsTone()
            mark = lab.core.events.count
            try headset.press(.playPause)
            try await lab.ends(.released, after: mark)
            application.close()
            headset.unplug()
        },
        Scenario(
            6,
            "plugging the Bluetooth adapter in starts ptt-accessoryd, and the button's first press transmits"
        ) { lab in
            try await lab.paired(.ffe0)
            try await Hand.tell("unplug")
            try await nothingRuns(lab)
            try await Hand.tell("plug")
            try await eventually("udev and systemd start ptt-accessoryd") {
                try await Machine.isActive("ptt-accessoryd")
            }
            let application = try await lab.application()
            try await lab.accessories.open()
            try await lab.ready(.ffe0)
            try await lab.talk(.ffe0, to: application)
            application.close()
        },
    ]

    private static func nothingRuns(_ lab: Lab) async throws {
        lab.core.close()
        lab.accessories.close()
        try await Machine.systemctl("stop", "ptt-accessoryd.service", "pttd.service")
        let (_, running) = try await Command.run([
            "pgrep", "--list-full", "--full", "^/usr/local/bin/(pttd|ptt-accessoryd)",
        ])
        guard running.isEmpty else { throw Failure("still running: \(running)") }
    }
}

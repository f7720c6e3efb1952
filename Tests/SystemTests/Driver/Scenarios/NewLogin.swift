import EventLoop
import PTTMessages

extension Scenario {
    /// A reboot as one user sees it: everything ends, and starts again from what is on disk.
    static let newLogin = [
        Scenario(
            part: 8,
            "after a login whose application does not start the channel stays, and a press starts it",
            applicationDoesNotCome
        )
    ]

    private static let dropIn = "/home/dev/.config/systemd/user/ptt-echo.service.d"

    private static func applicationDoesNotCome(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        let before = fixture.core.status?.channel?.channelID
        try await Command.output(of: [
            "sh", "-c",
            "mkdir -p \(dropIn) && printf '[Service]\\nExecStartPre=sleep infinity\\n' > \(dropIn)/held-up.conf",
        ])
        do {
            try await Machine.root("systemctl stop user@1000.service && systemctl start user@1000.service")
            try await isAbsent(fixture, before)
        } catch {
            try await comesAgain()
            throw error
        }
        try await comesAgain()
        try await Machine.microphoneIsBack()
        try await fixture.ready(.ffe0)
        try await pressAndEcho(fixture)
        try await stopEcho()
    }

    private static func isAbsent(_ fixture: GuestFixture, _ channelID: ChannelID?) async throws {
        try await fixture.core.open()
        // systemd continues the start; the core has abandoned it.
        try await until("the start is abandoned") {
            fixture.core.status?.channel?.isApplicationStarting == false
        }
        try await never("the channel is left", for: .seconds(2)) { fixture.core.status?.channel == nil }
        let channel = fixture.core.status?.channel
        guard let channel, channel.channelID == channelID, channel.application == nil else {
            throw Failure("there is \(fixture.core.status.map { "\($0)" } ?? "nothing")")
        }
    }

    private static func comesAgain() async throws {
        try await Command.output(of: ["rm", "-r", dropIn])
        try await Machine.systemctl("daemon-reload")
        try await stopEcho()
    }
}

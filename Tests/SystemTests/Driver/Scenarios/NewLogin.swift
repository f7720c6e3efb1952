import EventLoop
import PTTMessages

extension Scenario {
    /// What a reboot means to one user: everything ends, and what is on disk begins anew.
    static let newLogin = [
        Scenario(
            8,
            "at a login whose application does not come its channel stays, and a press starts it",
            applicationDoesNotCome
        )
    ]

    private static let dropIn = "/home/dev/.config/systemd/user/ptt-echo.service.d"

    private static func applicationDoesNotCome(_ lab: Lab) async throws {
        try await startEcho(lab)
        let before = lab.core.status?.channel?.channelID
        try await Command.output(of: [
            "sh", "-c",
            "mkdir -p \(dropIn) && printf '[Service]\\nExecStartPre=sleep infinity\\n' > \(dropIn)/held-up.conf",
        ])
        do {
            try await Machine.root("systemctl stop user@1000.service && systemctl start user@1000.service")
            try await isAbsent(lab, before)
        } catch {
            try await comesAgain()
            throw error
        }
        try await comesAgain()
        try await Machine.microphoneIsBack()
        try await lab.ready(.ffe0)
        try await pressAndEcho(lab)
        try await stopEcho()
    }

    private static func isAbsent(_ lab: Lab, _ channelID: ChannelID?) async throws {
        try await lab.core.open()
        // systemd goes on with the start, the core has given it up.
        try await until("the start is given up") {
            lab.core.status?.channel?.isApplicationStarting == false
        }
        try await never("the channel is left", for: .seconds(2)) { lab.core.status?.channel == nil }
        let channel = lab.core.status?.channel
        guard let channel, channel.channelID == channelID, channel.application == nil else {
            throw Failure("there is \(lab.core.status.map { "\($0)" } ?? "nothing")")
        }
    }

    private static func comesAgain() async throws {
        try await Command.output(of: ["rm", "-r", dropIn])
        try await Machine.systemctl("daemon-reload")
        try await stopEcho()
    }
}

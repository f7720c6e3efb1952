import EventLoop
import Foundation
import TestSupport
import Testing

/// The built `ptt-echo`, without a core.
@Suite(.timeLimit(.minutes(1)))
struct EchoTests {
    init() { withRunningLoop() }

    @Test(arguments: ["", "state"]) @EventLoop
    func `a variable that names no absolute path leaves the state in the home directory`(state: String)
        async throws
    {
        let home = try Scratch()
        let echo = try TestProcess(
            ["sh", "-c", "cd '\(home.directory)' && exec '\(TestProcess.built("ptt-echo"))'"],
            environment: [
                "HOME": home.directory, "XDG_STATE_HOME": state, "XDG_RUNTIME_DIR": home.directory,
            ],
            mergesErrors: true
        )
        let file = home.directory + "/.local/state/ptt-echo/channel.json"
        try await until { FileManager.default.fileExists(atPath: file) }
        echo.kill()
    }
}

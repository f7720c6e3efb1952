import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// Directories that do not exist, or are something else.
@Suite(.serialized) struct EnvironmentTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `without a home directory the core logs that once, and runs without files`()
        async throws
    {
        let core = try CoreFixture(environment: ["HOME": "", "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""]
        )
        let complaint = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(complaint.contains("HOME is not set"))
        _ = try await core.process.lines.first { $0 == "info: ready" }
        let client = try core.connect()
        _ = try await client.join()
        try await client.leave()
        // Nothing more is wrong.
        let later = try await core.process.lines.first { !$0.hasPrefix("notice: ") }
        #expect(later.hasPrefix("info: channel joined"))
    }

    @Test @EventLoop func `relative paths of directories are ignored`() async throws {
        let core = try await CoreFixture.start(environment: [
            "XDG_STATE_HOME": "relative", "HOME": "/tmp/ptt-no-such-home-\(getpid())",
        ])
        _ = try await core.connect().join()
        #expect(access("/relative", F_OK) != 0)
        let saved = "/tmp/ptt-no-such-home-\(getpid())/.local/state/pushtotalk"
        #expect(access(saved + "/channel.json", F_OK) == 0)
        try await core.connect().leave()
        for path in [saved, ".local/state", ".local", ""] {
            rmdir(path.hasPrefix("/") ? path : "/tmp/ptt-no-such-home-\(getpid())/\(path)")
        }
    }

    @Test @EventLoop func `a pipe in place of a configuration file does not block`() async throws {
        let core = try CoreFixture(playsTones: true)
        _ = try await core.process.lines.first { $0 == "info: ready" }
        #expect(mkfifo(core.configuration("pttd.toml"), 0o600) == 0)
        try await core.crashAndRestart()
        #expect(try await core.connect().status().timeLimit == 60)
    }
}

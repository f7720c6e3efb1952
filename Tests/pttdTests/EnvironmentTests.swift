import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// Directories and a bus that do not exist, or are something else.
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
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        #expect(access("/relative", F_OK) != 0)
        let saved = "/tmp/ptt-no-such-home-\(getpid())/.local/state/pushtotalk"
        #expect(access(saved + "/channel.json", F_OK) == 0)
        try await application.calls.leave()
        try await core.untilSaved()
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

    @Test(arguments: [true, false])
    @EventLoop func `who does not know whose session is active, or whether a screen is locked, refuses`(
        isHanging: Bool
    ) async throws {
        let (sound, bus) = (try await PrivateAudioServer.start(.pulseAudio), try await PrivateBus.start())
        if isHanging { bus.signal(SIGSTOP) } else { bus.stop() }
        let core = try await CoreFixture.start(
            sound: sound,
            configuration: isHanging ? nil : #"while-locked = "refuse""#,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        let (watcher, client) = (try core.connect(), try core.connect())
        try await watcher.audioServerIsReady(watcher.subscribe())
        _ = try await client.join()
        let refused = try await refusal { _ = try await client.begin() }
        // Without a bus there is no other session.
        let unknown = isHanging ? "whether this session is active" : "whether the screen is locked"
        #expect(refused.reason.contains(unknown))
        if isHanging { bus.signal(SIGCONT) } else { try await bus.start() }
        let logind = try await ScriptedLogind.start(bus.address)
        try await until { (try? await client.begin()) != nil }
        withExtendedLifetime(logind) {}
    }
}

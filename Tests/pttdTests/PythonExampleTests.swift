import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// `Examples/python/talk.py`, a client in another language, with the PyPI package `varlink`.
@Suite(.serialized) struct PythonExampleTests {
    init() { withRunningLoop() }

    /// The example's process. What it prints is in `lines`.
    @EventLoop private func example(_ core: CoreFixture) async throws -> TestProcess {
        try await PythonVarlink.installed().python(
            ["\(checkout)/Examples/python/talk.py"],
            environment: ["XDG_RUNTIME_DIR": core.directory]
        )
    }

    @Test @EventLoop func `it talks for three seconds, and prints who talks then`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let example = try await example(core)
        #expect(
            try await example.lines.next(2) == ["transmissionBegan 'talk.py'", "transmissionEnded released"]
        )
        try await application.setParticipant("Anna")
        #expect(try await example.lines.next() == "'Anna' talks")
        try await application.setParticipant(nil)
        #expect(try await example.lines.next() == "nobody talks")
        try await application.setParticipant("An\u{1B}[2Jna\u{202E}")
        #expect(try await example.lines.next() == #"'An\x1b[2Jna\u202e' talks"#)
    }

    @Test @EventLoop func `its transmission ends when it is killed`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        _ = try await core.connect().join()
        let example = try await example(core)
        _ = try await watcher.events.first { $0 == .audioActivated }
        example.signal(SIGKILL)
        #expect(try await watcher.nextEnd() == .connectionLost)
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `it prints why it may not talk`() async throws {
        let core = try await CoreFixture.start()
        defer { withExtendedLifetime(core) {} }
        let example = try await example(core)
        #expect(try await example.lines.next() == "no channel is joined: run `pttctl join`")
    }
}

import EventLoop
import PTTMessages
import TestSupport
import Testing
import Varlink

/// A program that makes connections and leaves them open.
@Suite(.serialized) struct IdleConnectionTests {
    init() { withRunningLoop() }

    @Test(arguments: [false, true])
    @EventLoop func `the idle connections of a program keep no press of another out, and the oldest give way`(
        haveCalled: Bool
    ) async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let closed = AsyncQueue(of: Int.self)
        // With those of the watcher and of the one who joins, as many as the core serves.
        let idle = try (0..<VarlinkLimits().connections - 2).map { _ in try core.connect() }
        for (number, connection) in idle.enumerated() {
            connection.client.onClose = { _ in closed.add(number) }
            if haveCalled { _ = try await connection.status() }
        }
        let (watcher, joined) = (try core.connect(), try core.connect())
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        _ = try await joined.join()
        let press = try TestProcess(
            [TestProcess.built("pttctl"), "talk"],
            environment: ["XDG_RUNTIME_DIR": core.directory]
        )
        let began: Transmission = try await watcher.events.firstValue {
            if case .transmissionBegan(let transmission) = $0 { transmission } else { nil }
        }
        #expect(began.origin.identifier == "pttctl-\(press.processID)")
        _ = try await watcher.events.first { $0 == .audioActivated }
        // One for each connection of `pttctl talk`: that of the press, and that of its events.
        #expect(try await closed.next(2).sorted() == [0, 1])
        press.kill()
        #expect(try await watcher.nextEnd() == .connectionLost)
        #expect(try await sound.sourceOutputs().isEmpty)
        for connection in idle.dropFirst(2) + [joined] { _ = try await connection.status() }
    }
}

import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// A core with a sound server, a client that presses, a client that watches, and no channel.
@EventLoop
final class VirtualMicrophoneFixture {
    /// Of the fifty points of a transmission, those at which something is killed, which takes up to a second
    /// each: `PTT_KILLS=50` for all.
    nonisolated static let killPoints: [Int] = {
        let count = ProcessInfo.processInfo.environment["PTT_KILLS"].flatMap { Int($0) } ?? 8
        return Array(stride(from: 0, to: 50, by: max(1, 50 / max(1, count))))
    }()

    let sound: PrivateAudioServer
    let core: CoreFixture
    private(set) var presser: CoreClient
    private(set) var watcher: CoreClient
    private(set) var state: VirtualMicrophone
    private var ends: [EndCause] = []

    /// Skips the test where the server cannot run. `configuration` is the text of `pttd.toml`, `fragments`
    /// are files of PipeWire's configuration.
    static func start(
        _ program: SoundServerProgram,
        _ configuration: String? = nil,
        fragments: [String] = [],
        prepare: @EventLoop (PrivateAudioServer) async throws -> Void = { _ in }
    ) async throws -> VirtualMicrophoneFixture {
        let sound = try await PrivateAudioServer.startOrSkip(program, fragments: fragments)
        try await prepare(sound)
        let core = try await CoreFixture.start(sound: sound, configuration: configuration)
        return try await VirtualMicrophoneFixture(sound: sound, core: core)
    }

    private init(sound: PrivateAudioServer, core: CoreFixture) async throws {
        self.sound = sound
        self.core = core
        presser = try core.connect()
        watcher = try core.connect()
        state = .off
        try await watch()
    }

    private func watch() async throws {
        let status = try await watcher.subscribe()
        state = status.virtualMicrophone
        try await watcher.audioServerIsReady(status)
    }

    /// Kills the core and starts it again.
    func crashAndRestart() async throws {
        try await core.crashAndRestart()
        presser = try core.connect()
        watcher = try core.connect()
        try await watch()
    }

    /// The state as it is now, after events that a test has skipped.
    func reread() async throws {
        watcher = try core.connect()
        try await watch()
    }

    func until(_ isWanted: (VirtualMicrophone) -> Bool) async throws {
        let deadline = Deadline()
        while !isWanted(state) {
            try deadline.check()
            try await handleNext()
        }
    }

    /// The cause of the next end of a transmission.
    func nextEnd() async throws -> EndCause {
        try await until { _ in !ends.isEmpty }
        return ends.removeFirst()
    }

    private func handleNext() async throws {
        switch try await watcher.events.next() {
        case .virtualMicrophoneChanged(let new): state = new
        case .transmissionEnded(_, let cause, _): ends.append(cause)
        default: break
        }
    }

    func untilIdle() async throws {
        try await until { $0 == .idle }
    }

    func untilRecorded() async throws {
        try await until { if case .recorded = $0 { true } else { false } }
    }

    /// A call application that records, as the core knows.
    func record() async throws -> CallApplication {
        try await untilIdle()
        let application = try CallApplication(sound)
        try await untilRecorded()
        return application
    }

    /// One more, with a name of its own, or that of one that was killed.
    func record(as name: String) async throws -> CallApplication {
        func isRecording(_ state: VirtualMicrophone) -> Bool {
            if case .recorded(let names) = state { names.contains(name) } else { false }
        }
        try await until { !isRecording($0) }
        let application = try CallApplication(sound, properties: ["application.name=\(name)"])
        try await until(isRecording)
        return application
    }

    /// From outside: after what may be on its way, every sample is zero, and no program but the call
    /// application records.
    func expectSilence(
        _ application: CallApplication?,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if let application {
            var loudest = 0
            // What was on its way comes first; three seconds of it are more than a server stores.
            for _ in 0..<30 {
                loudest = try await application.next(4800).loudest
                if loudest == 0 { break }
            }
            #expect(loudest == 0, comment, sourceLocation: sourceLocation)
        }
        // A server ends a stream some time after the core has ordered it, which gives it two seconds.
        try await TestSupport.until(within: .seconds(3)) {
            try await sound.sourceOutputs().count == (application == nil ? 0 : 1)
        }
    }
}

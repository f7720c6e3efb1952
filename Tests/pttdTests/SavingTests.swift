import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Saving while the disk is slow, hangs, or cannot be written.
@Suite(.serialized) struct SavingTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the microphone closes while the disk hangs`() async throws {
        let disk = try await FailingDisk()
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound, environment: disk.environment)
        let (joined, button) = (try core.connect(), try core.connect())
        try await joined.audioServerIsReady(try await joined.subscribe())
        let owner = try core.connect()
        _ = try await owner.join()
        _ = try await button.begin()
        _ = try await joined.events.first { $0 == .audioActivated }
        disk.hang()
        let renamed = AsyncQueue(of: Void.self)
        owner.rename("Renamed") { renamed.add(()) }
        button.letGo()
        try await becomes { try await sound.sourceOutputs() == [] }
        disk.goOn()
        _ = try await renamed.next()
        #expect(try await joined.nextEnd() == .released)
    }

    @Test @EventLoop
    func `no client is notified of a change before it is on disk, and other requests are answered`()
        async throws
    {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let (owner, other, observer) = (try core.connect(), try core.connect(), try core.connect())
        disk.hang()
        let answers = AsyncQueue(of: String.self)
        owner.join(then: {
            let isSaved = FileManager.default.fileExists(atPath: core.state("channel.json"))
            answers.add(isSaved ? "joined and saved" : "joined")
        })
        #expect(try await other.status().channel == nil)
        #expect(try await observer.subscribe().channel == nil)
        answers.add("not joined")
        disk.goOn()
        #expect(try await answers.next(2) == ["not joined", "joined and saved"])
        guard case .channelJoined = try await observer.events.next() else {
            Issue.record("the subscriber was not notified")
            return
        }
        #expect(try await other.status().channel != nil)
    }

    @Test @EventLoop func `a disk that hangs too long is reported, and the unsaved state survives the core`()
        async throws
    {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        disk.hang()
        let owner = try core.connect()
        let channelID = try await owner.join().channelID
        let failure = try #require(try await owner.status().saveFailure)
        #expect(failure.contains("does not answer within"))
        // No request waits any more.
        let renamed = AsyncQueue(of: Void.self)
        owner.rename("Renamed") { renamed.add(()) }
        try await renamed.next()
        #expect(!FileManager.default.fileExists(atPath: core.state("channel.json")))
        core.process.kill()
        disk.goOn()
        try await core.crashAndRestart()
        let again = try core.connect()
        let status = try await again.subscribe()
        #expect(status.channel?.channelID == channelID && status.channel?.name == "Renamed")
        try await becomes { FileManager.default.fileExists(atPath: core.state("channel.json")) }
    }

    @Test @EventLoop func `a failed save is retried until it is on disk`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        try disk.setReadOnly(true)
        let (owner, observer) = (try core.connect(), try core.connect())
        _ = try await observer.subscribe()
        _ = try await owner.join(application: "App")
        let reason = try await observer.nextSaveFailure()
        #expect(reason.contains("Read-only file system"))
        #expect(try await core.connect().status().saveFailure == reason)
        try disk.setReadOnly(false)
        _ = try await observer.events.first { $0 == .stateSaved }
        #expect(try await core.connect().status().saveFailure == nil)
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
        #expect(!FileManager.default.fileExists(atPath: core.directory + "/pushtotalk/state.json"))
    }

    @Test @EventLoop func `a channel that is left on a read-only disk is still left when the core restarts`()
        async throws
    {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try disk.setReadOnly(true)
        try await application.calls.leave()
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
        try await core.crashAndRestart()
        let observer = try core.connect()
        #expect(try await observer.subscribe().channel == nil)
        try disk.setReadOnly(false)
        try await becomes { !FileManager.default.fileExists(atPath: core.state("channel.json")) }
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `a core that is stopped waits for the save in progress`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        disk.hang()
        let owner = try core.connect()
        let joined = AsyncQueue(of: Void.self)
        owner.join(then: { joined.add(()) })
        // This reply comes after the request above was handled.
        _ = try await core.connect().status()
        core.process.signal(SIGTERM)
        disk.goOn()
        #expect(try await core.process.exitStatus() == 0)
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
    }

    @Test @EventLoop func `a core that is stopped ends although the disk hangs for ever`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        disk.hang()
        let owner = try core.connect()
        owner.join(then: {})
        _ = try await core.connect().status()
        core.process.signal(SIGTERM)
        #expect(try await core.process.exitStatus() == 0)
        #expect(!FileManager.default.fileExists(atPath: core.state("channel.json")))
        #expect(FileManager.default.fileExists(atPath: core.directory + "/pushtotalk/state.json"))
    }

    @Test @EventLoop func `no thread is left when all is saved`() async throws {
        let core = try await CoreFixture.start()
        _ = try await core.connect().join()
        let threads = "/proc/\(core.process.processID)/task"
        try await becomes { try FileManager.default.contentsOfDirectory(atPath: threads).count == 1 }
    }
}

/// Returns when the condition holds, for which there is no event.
@EventLoop
func becomes(_ condition: () async throws -> Bool) async throws {
    let limit = Duration.seconds(10)
    let end = MonotonicInstant.now + limit
    while !(try await condition()) {
        try #require(MonotonicInstant.now < end, "it did not happen within \(limit)")
        await pause(.milliseconds(20))
    }
}

extension CoreClient {
    fileprivate func nextSaveFailure() async throws -> String {
        while true {
            if case .stateNotSaved(let reason) = try await events.next() { return reason }
        }
    }

    fileprivate func rename(_ name: String, then: @escaping @EventLoop () -> Void) {
        call("SetDescriptor", #"{"name":"\#(name)"}"#, then: then)
    }

    fileprivate func join(then: @escaping @EventLoop () -> Void) {
        call("Join", #"{"name":"Test","application":"App"}"#, then: then)
    }

    fileprivate func letGo() {
        let origin = #"{"kind":"bluetoothButton","identifier":"00:11:22:33:44:55","name":"Button"}"#
        call("EndTransmitting", #"{"origin":\#(origin)}"#) {}
    }

    /// Sends a request in this turn of the loop.
    private func call(_ method: String, _ parameters: String, then: @escaping @EventLoop () -> Void) {
        // They are in this file.
        guard let parameters = try? JSON(parsing: parameters).object else { return }
        client.call("\(ChannelInterface.name).\(method)", parameters) { _ in then() }
    }
}

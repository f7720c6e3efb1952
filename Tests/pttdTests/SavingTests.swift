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

    @Test @EventLoop
    func `while the disk hangs a press transmits at once, and its release closes the microphone`()
        async throws
    {
        let disk = try await FailingDisk()
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound, environment: disk.environment)
        let (joined, button) = (try core.connect(), try core.connect())
        try await joined.audioServerIsReady(try await joined.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        disk.hang()
        let renamed = AsyncQueue(of: Void.self)
        application.calls.rename("Renamed") { renamed.add(()) }
        _ = try await renamed.next()
        try await until { disk.isWaitedFor }
        _ = try await button.begin()
        // Before the disk counts as failed.
        let first = try await joined.events.first {
            if case .stateNotSaved = $0 { true } else { $0 == .audioActivated }
        }
        #expect(first == .audioActivated)
        button.letGo()
        try await until { try await sound.sourceOutputs() == [] }
        disk.goOn()
        #expect(try await joined.nextEnd() == .released)
    }

    @Test @EventLoop
    func `a change that was answered while the disk hangs survives the core`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let (application, observer) = (try await AttachedApplication.attach(to: core), try core.connect())
        _ = try await observer.subscribe()
        disk.hang()
        _ = try await application.join(.hikers)
        guard case .channelJoined = try await observer.events.next() else {
            Issue.record("the subscriber was not notified")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: core.state("channel.json")))
        core.process.kill()
        disk.goOn()
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel?.channelID == .hikers)
    }

    @Test @EventLoop func `a channel that nobody owns survives the core, and is not there after a reboot`()
        async throws
    {
        let core = try await CoreFixture.start()
        let channelID = try await core.connect().join().channelID
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel?.channelID == channelID)
        core.process.kill()
        // What a reboot does to the runtime directory.
        #expect(unlink(core.directory + "/pushtotalk/state.json") == 0)
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `a disk that hangs too long is reported, and the unsaved state survives the core`()
        async throws
    {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let (application, observer) = (try await AttachedApplication.attach(to: core), try core.connect())
        _ = try await observer.subscribe()
        disk.hang()
        _ = try await application.join(.hikers)
        let failure = try await observer.nextSaveFailure()
        #expect(failure.contains("does not answer within"))
        #expect(try await application.calls.status().saveFailure == failure)
        let renamed = AsyncQueue(of: Void.self)
        application.calls.rename("Renamed") { renamed.add(()) }
        try await renamed.next()
        #expect(!FileManager.default.fileExists(atPath: core.state("channel.json")))
        core.process.kill()
        disk.goOn()
        try await core.crashAndRestart()
        let channel = try await core.connect().status().channel
        #expect(channel?.channelID == .hikers && channel?.name == "Renamed")
        try await until { FileManager.default.fileExists(atPath: core.state("channel.json")) }
    }

    @Test @EventLoop func `a failed save is retried until it is on disk`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        try disk.setReadOnly(true)
        let (application, observer) = (try await AttachedApplication.attach(to: core), try core.connect())
        _ = try await observer.subscribe()
        _ = try await application.join(.hikers)
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
        try await core.untilSaved()
        try disk.setReadOnly(true)
        try await application.calls.leave()
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
        try await core.crashAndRestart()
        let observer = try core.connect()
        #expect(try await observer.subscribe().channel == nil)
        try disk.setReadOnly(false)
        try await until { !FileManager.default.fileExists(atPath: core.state("channel.json")) }
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop
    func `a volume that is set beside a saved channel that cannot be read survives, as the channel does`()
        async throws
    {
        let unread = try await UnreadFile("channel.json")
        #expect(try await unread.core.connect().status().channel == nil)
        try await unread.core.connect().call(ChannelInterface.setVolume, .init(volume: 60))
        try await unread.crashAndRepair()
        let status = try await unread.core.connect().status()
        #expect(status.volume == 60 && status.channel?.channelID == .hikers)
    }

    @Test @EventLoop
    func `a volume that is set as it is shown replaces a saved one that cannot be read`() async throws {
        let unread = try await UnreadFile("volume.json")
        let shown = try await unread.core.connect().status().volume
        try await unread.core.connect().call(ChannelInterface.setVolume, .init(volume: shown))
        try await unread.crashAndRepair()
        #expect(try await unread.core.connect().status().volume == shown)
    }

    @Test @EventLoop
    func `a channel that is joined replaces a saved one that cannot be read`() async throws {
        let unread = try await UnreadFile("channel.json")
        let application = try await AttachedApplication.attach(to: unread.core)
        _ = try await application.join(.other)
        // The disk has not taken it: the next run finds the earlier one there.
        try await unread.crashAndRepair()
        #expect(try await unread.core.connect().status().channel?.channelID == .other)
    }

    @Test @EventLoop
    func `a saved volume that cannot be read survives a core that leaves its channel`() async throws {
        let unread = try await UnreadFile("volume.json")
        #expect(try await unread.core.connect().status().volume == Status.defaultVolume)
        try await unread.core.connect().leave()
        try await unread.crashAndRepair()
        let status = try await unread.core.connect().status()
        #expect(status.volume == 80 && status.channel == nil)
    }

    @Test @EventLoop func `a saved name that cannot be read survives a change of the volume`() async throws {
        let unread = try await UnreadFile("descriptor.json")
        let name = try #require(try await unread.core.connect().status().channel?.name)
        #expect(name != "Hikers")
        try await unread.core.connect().call(ChannelInterface.setVolume, .init(volume: 60))
        try await unread.crashAndRepair()
        let status = try await unread.core.connect().status()
        #expect(status.volume == 60 && status.channel?.name == "Hikers")
    }

    @Test @EventLoop func `a core that is stopped waits for the save in progress`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let application = try await AttachedApplication.attach(to: core)
        disk.hang()
        _ = try await application.join(.hikers)
        try await until { disk.isWaitedFor }
        core.process.signal(SIGTERM)
        disk.goOn()
        #expect(try await core.process.exitStatus() == 0)
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
    }

    @Test @EventLoop func `a core that is stopped ends although the disk hangs for ever`() async throws {
        let disk = try await FailingDisk()
        let core = try await CoreFixture.start(environment: disk.environment)
        let application = try await AttachedApplication.attach(to: core)
        disk.hang()
        _ = try await application.join(.hikers)
        try await until { disk.isWaitedFor }
        core.process.signal(SIGTERM)
        #expect(try await core.process.exitStatus() == 0)
        #expect(!FileManager.default.fileExists(atPath: core.state("channel.json")))
        #expect(FileManager.default.fileExists(atPath: core.directory + "/pushtotalk/state.json"))
    }

    @Test @EventLoop
    func `a core that is stopped ends although clients go on to change its state`() async throws {
        let core = try await CoreFixture.start()
        let answered = AsyncQueue(of: Void.self)
        let clients = try (0..<4).map { _ in try core.connect() }
        // Not one after another: the next are there when one is answered.
        for client in clients { for _ in 0..<50 { client.changeVolume { answered.add(()) } } }
        for _ in 0..<1000 { try await answered.next() }
        core.process.signal(SIGTERM)
        #expect(try await core.process.exitStatus() == 0)
    }

    @Test @EventLoop func `no thread is left when all is saved`() async throws {
        let core = try await CoreFixture.start()
        _ = try await core.connect().join()
        let threads = "/proc/\(core.process.processID)/task"
        try await until { try FileManager.default.contentsOfDirectory(atPath: threads).count == 1 }
    }
}

/// A core that cannot read one file of its saved channel and volume, on a disk that takes nothing.
@EventLoop
private struct UnreadFile {
    let core: CoreFixture
    private let disk: FailingDisk
    private let name: String

    init(_ name: String) async throws {
        self.name = name
        disk = try await FailingDisk()
        core = try await CoreFixture.start(environment: disk.environment)
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.connect().call(ChannelInterface.setVolume, .init(volume: 80))
        try await core.untilSaved()
        core.process.kill()
        try core.setReadable(false, name)
        try disk.setReadOnly(true)
        try await core.crashAndRestart(until: { $0.contains(name) })
    }

    /// The next run can read the file, and write all.
    func crashAndRepair() async throws {
        core.process.kill()
        try core.setReadable(true, name)
        try disk.setReadOnly(false)
        try await core.crashAndRestart()
    }
}

extension CoreClient {
    fileprivate func nextSaveFailure() async throws -> String {
        try await events.firstValue { if case .stateNotSaved(let reason) = $0 { reason } else { nil } }
    }

    /// Again and again, as long as it is not refused.
    fileprivate func changeVolume(_ answered: @escaping @EventLoop () -> Void) {
        let parameters: JSONText = ["volume": .int(.random(in: 0...100))]
        client.call(ChannelInterface.setVolume.qualifiedName, parameters) { [weak self] answer in
            answered()
            if case .success = answer { self?.changeVolume(answered) }
        }
    }

    fileprivate func rename(_ name: String, then: @escaping @EventLoop () -> Void) {
        call("SetDescriptor", #"{"name":"\#(name)"}"#, then: then)
    }

    fileprivate func letGo() {
        let origin = #"{"kind":"bluetoothButton","identifier":"00:11:22:33:44:55","name":"Button"}"#
        call("EndTransmitting", #"{"origin":\#(origin)}"#) {}
    }

    /// Sends a request in this turn of the loop.
    private func call(_ method: String, _ parameters: String, then: @escaping @EventLoop () -> Void) {
        // They are in this file.
        guard let parameters = try? JSON(parsing: parameters).object else { return }
        client.call("\(ChannelInterface.name).\(method)", JSONText(parameters)) { _ in then() }
    }
}

import EventLoop
import Foundation
import Glibc
import JSON
import PTTMessages
import TestSupport
import Varlink

/// A real `pttd`, and the clients of these tests.
@EventLoop
final class CoreFixture {
    private let core: CoreProcess

    /// - Parameters:
    ///   - sound: The sound server of its environment; none if nil.
    ///   - configuration: The text of `pttd.toml`; no file if nil.
    ///   - environment: More variables.
    ///   - playsTones: If false, a transmission does not wait for a tone.
    /// - Returns: The core, ready.
    /// - Throws: If it does not become ready within the time limit.
    static func start(
        sound: PrivateAudioServer? = nil,
        configuration: String? = nil,
        environment: [String: String] = [:],
        playsTones: Bool = false
    ) async throws -> CoreFixture {
        let core = try CoreFixture(
            sound: sound,
            configuration: configuration,
            environment: environment,
            playsTones: playsTones
        )
        try await core.core.isReady()
        return core
    }

    init(
        sound: PrivateAudioServer? = nil,
        configuration: String? = nil,
        environment: [String: String] = [:],
        policy: String? = nil,
        playsTones: Bool = false
    ) throws {
        let files = ["pttd.toml": configuration, "policy.toml": policy].compactMapValues(\.self)
        core = try CoreProcess(
            soundServer: sound?.address,
            configuration: files,
            environment: environment,
            playsTones: playsTones
        )
    }

    var directory: String { core.directory }

    var process: TestProcess { core.process }

    /// Kills the core, and starts it again; it is ready when this returns.
    ///
    /// - Parameter isAwaited: Recognises a line that must be logged before.
    /// - Throws: If it does not become ready within the time limit.
    func crashAndRestart(until isAwaited: ((String) -> Bool)? = nil) async throws {
        core.crash()
        try core.restart()
        if let isAwaited { _ = try await process.lines.first(where: isAwaited) }
        try await core.isReady()
    }

    /// Returns when all that was answered is on disk.
    func untilSaved() async throws { try await until { core.isSaved } }

    /// A file in the core's state directory.
    func state(_ name: String) -> String { core.state(name) }

    /// Makes a saved file, that of the channel if none is named, one that cannot be read, as on a disk that
    /// fails, or as it was.
    func setReadable(_ isReadable: Bool, _ name: String = "channel.json") throws {
        let hidden = core.state("hidden-" + name)
        if isReadable { return try replace(name, by: hidden) }
        try FileManager.default.moveItem(atPath: core.state(name), toPath: hidden)
        try replace(name, byLinkTo: core.state(name))
    }

    /// It can be opened, as a directory can, and not be read: that fails for another reason than before.
    func failToReadChannelOtherwise() throws { try replace("channel.json", byLinkTo: directory) }

    private func replace(_ name: String, byLinkTo path: String) throws {
        let link = core.state("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try replace(name, by: link)
    }

    /// The core never finds that there is none.
    private func replace(_ name: String, by path: String) throws {
        guard rename(path, core.state(name)) == 0 else { throw SystemError("move \(path)") }
    }

    /// Writes a file in the core's state directory, which the core makes only when it has something to keep.
    func writeState(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(
            atPath: core.state(""),
            withIntermediateDirectories: true
        )
        try text.write(toFile: core.state(name), atomically: true, encoding: .utf8)
    }

    /// A file in the core's configuration directory.
    func configuration(_ name: String) -> String { core.configuration(name) }

    func connect() throws -> CoreClient {
        try CoreClient(VarlinkClient(connectingTo: directory + "/pushtotalk/core"))
    }

    /// Connects to the audio socket without presenting a token.
    func connectAudio() throws -> OwnedDescriptor {
        try UnixSocket.connect(to: directory + "/pushtotalk/audio", .packets)
    }

    /// Connects and presents a token on the audio socket.
    func attachAudio(_ token: String) throws -> OwnedDescriptor {
        let descriptor = try connectAudio()
        let bytes = Array(token.utf8)
        guard send(descriptor.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError("present the token")
        }
        return descriptor
    }
}

/// A client of the core's socket, without `ServiceClient`.
@EventLoop
final class CoreClient {
    let client: VarlinkClient
    /// The events of the subscription.
    let events = AsyncQueue(of: CoreEvent.self)

    init(_ client: VarlinkClient) {
        self.client = client
    }

    @discardableResult
    func call<Request, Reply>(_ method: InterfaceMethod<Request, Reply>, _ request: Request) async throws
        -> Reply
    {
        try await client.call(method.qualifiedName, .encoding(request)).decode()
    }

    func status() async throws -> Status {
        try await call(ChannelInterface.getStatus, NoParameters()).status
    }

    func join(application: String? = nil, channelID: ChannelID? = nil) async throws
        -> ChannelInterface.JoinReply
    {
        try await call(
            ChannelInterface.join,
            ChannelInterface.JoinRequest(channelID: channelID, name: "Test", application: application)
        )
    }

    func begin(_ origin: Origin = .button) async throws -> TransmissionID {
        try await call(
            ChannelInterface.beginTransmitting,
            ChannelInterface.BeginRequest(channelID: nil, source: .handsfreeButton, origin: origin)
        ).transmissionID
    }

    func end(_ origin: Origin? = .button, _ cause: EndCause? = nil) async throws {
        _ = try await call(
            ChannelInterface.endTransmitting,
            ChannelInterface.EndRequest(channelID: nil, origin: origin, cause: cause)
        )
    }

    /// Subscribes to the core, and returns the status.
    func subscribe() async throws -> Status {
        let first = AsyncQueue(of: Status.self)
        let events = events
        client.subscribe(ChannelInterface.subscribe.qualifiedName) { answer, _ in
            guard let update = try? answer.get().decode(ChannelInterface.Update.self) else { return }
            if let status = update.status { first.add(status) }
            if let event = update.event { events.add(event) }
        }
        return try await first.next()
    }

    /// The cause of the next end of a transmission.
    func nextEnd(within limit: Duration = awaitLimit) async throws -> EndCause {
        try await events.firstValue(within: limit) {
            if case .transmissionEnded(_, let cause, _) = $0 { cause } else { nil }
        }
    }

    func leave() async throws {
        _ = try await call(ChannelInterface.leave, ChannelInterface.LeaveRequest(channelID: nil))
    }

    /// Waits until transmissions can begin. Call ``subscribe()`` before.
    func audioServerIsReady(_ status: Status) async throws {
        if !status.isAudioServerReady { _ = try await events.first { $0 == .audioServerReady } }
    }

    func close() { client.close() }
}

extension Origin {
    static let button = Origin(kind: .bluetoothButton, identifier: "00:11:22:33:44:55", name: "Button")
    static let other = Origin(kind: .wiredHeadset, identifier: "jack", name: "Headset")
}

/// The refusal that `body` ends with.
@EventLoop
func refusal(_ body: @EventLoop () async throws -> Void) async throws -> Refusal {
    do {
        try await body()
    } catch VarlinkCallError.answered(let error)
        where [ChannelInterface.refused, ApplicationInterface.refused].contains(error.name)
    {
        return try error.parameters.decode(Refusal.self)
    }
    throw NotRefused()
}

struct NotRefused: Error {}

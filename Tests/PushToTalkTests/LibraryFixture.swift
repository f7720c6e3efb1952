import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport

/// A core and a sound server, and the environment in which this process finds them.
@EventLoop
final class LibraryFixture {
    let sound: PrivateAudioServer
    let core: CoreProcess
    let channel = UUID()

    /// - Parameters:
    ///   - manifest: The application's.
    ///   - environment: Further variables of the core.
    /// - Returns: The fixture, with both servers ready.
    /// - Throws: If one of them cannot be started.
    static func start(manifest: String? = nil, environment: [String: String] = [:]) async throws
        -> LibraryFixture
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try CoreProcess(soundServer: sound.address, environment: environment)
        try await core.isReady()
        let fixture = LibraryFixture(sound, core)
        setenv("XDG_RUNTIME_DIR", core.directory, 1)
        setenv("PTT_MANIFEST", try fixture.write(manifest ?? Self.manifest), 1)
        try await fixture.soundIsReady()
        return fixture
    }

    private static let manifest = """
        identifier = "org.example.Tests"
        name = "Tests"
        systemd-unit = "tests.service"
        push-environment = "local"
        """

    private init(_ sound: PrivateAudioServer, _ core: CoreProcess) {
        (self.sound, self.core) = (sound, core)
    }

    func write(_ manifest: String) throws -> String {
        let path = core.directory + "/manifest.toml"
        try manifest.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Lets the core crash, and starts it again.
    func restartAfterCrash() async throws {
        core.crash()
        try await restartCore()
    }

    /// Starts the core again after a crash.
    func restartCore() async throws {
        try core.restart()
        try await core.isReady()
    }

    /// Waits until transmissions can begin.
    func soundIsReady() async throws {
        try await until { $0.isAudioServerReady }
    }

    /// Waits for a status of the core.
    func until(_ isMet: @escaping @EventLoop (Status) -> Bool) async throws {
        let watcher = try ServiceConnection.core()
        let met = AsyncQueue(of: Bool.self)
        var status = Status(timeLimit: 0)
        watcher.subscribe(
            {
                if let first = $0.status { status = first }
                if let event = $0.event { status.apply(event) }
                if isMet(status) { met.add(true) }
            },
            ended: { _ in }
        )
        _ = try await met.next()
        watcher.close()
    }

    func status() async throws -> Status {
        let connection = try ServiceConnection.core()
        defer { connection.close() }
        return try await connection.status()
    }

    /// Presses a button as ptt-accessoryd does, on a connection that has to stay open while it is held.
    func press(_ name: String = "Button") async throws -> ServiceConnection {
        let connection = try ServiceConnection.core()
        let origin = Origin(kind: .bluetoothButton, identifier: name, name: name)
        _ = try await connection.call(
            ChannelInterface.beginTransmitting,
            .init(channelID: nil, source: .handsfreeButton, origin: origin)
        )
        return connection
    }

    func release(_ connection: ServiceConnection, _ name: String = "Button") async throws {
        let origin = Origin(kind: .bluetoothButton, identifier: name, name: name)
        _ = try await connection.call(
            ChannelInterface.endTransmitting,
            .init(channelID: nil, origin: origin, cause: nil)
        )
        connection.close()
    }

    /// Shuts this process's connections to the socket down, so that their users lose them.
    func closeConnections(to socket: RuntimeSocket) throws {
        let path = try socket.path
        for descriptor in Int32(3)..<1024 where peer(of: descriptor) == path {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// - Returns: The path of the socket that the descriptor is connected to; nil for any other descriptor.
    private func peer(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: &address.sun_path) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    func leave() async throws {
        let connection = try ServiceConnection.core()
        try await connection.leave(nil)
        connection.close()
    }

    func push(_ token: Data, _ payload: String, priority: Int = 10, topic: String = "org.example.Tests")
        async throws
    {
        let connection = try ServiceConnection.core()
        defer { connection.close() }
        _ = try await connection.call(
            PushInterface.send,
            PushInterface.SendRequest(
                token: PushToken(rawValue: token.map { String(format: "%02x", $0) }.joined()),
                topic: topic + ".voip-ptt",
                type: "pushtotalk",
                priority: priority,
                expiration: 0,
                payload: payload
            )
        )
    }
}

/// A manager with a joined channel, whose callbacks until then are removed from the delegate.
struct Joined {
    let manager: PTChannelManager
    let token: Data

    static func make(_ fixture: LibraryFixture, _ delegate: RecordingDelegate) async throws -> Joined {
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        _ = try await delegate.tokens.next()
        manager.requestJoinChannel(
            channelUUID: fixture.channel,
            descriptor: PTChannelDescriptor(name: "Ops", image: nil)
        )
        guard try await delegate.lines.next() == "didJoin 0 true" else { throw Unexpected() }
        return Joined(manager: manager, token: try await delegate.tokens.next())
    }
}

struct Unexpected: Error {}

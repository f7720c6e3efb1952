import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// A core with an application that receives the frames, a client that presses, and a sound server.
@EventLoop
final class MicrophoneFixture {
    private enum Happening {
        case packet
        case event(CoreEvent)
    }

    let sound: PrivateAudioServer
    let core: CoreFixture
    let accessoryd: CoreClient
    /// The microphone that was published last.
    private(set) var input: String?
    /// The largest sample that the application has received.
    private(set) var peak = 0
    private(set) var packetCount = 0
    /// The time of the first sample that the application has received, in microseconds of the monotonic
    /// clock.
    private(set) var firstPacket: Int64?
    /// How many samples of the last packet are 0 at its end; nil if it has nothing else.
    private(set) var paddingOfLast: Int?
    /// When the audio session was activated last, in microseconds of the monotonic clock.
    private(set) var activated: Int64?
    let application: CoreClient
    private let watcher: CoreClient
    private let statuses = AsyncQueue(of: Status.self)
    private let audio: OwnedDescriptor
    private let happenings = AsyncQueue(of: Happening.self)
    private var reader: DescriptorSource?

    /// Skips the test where the server cannot run. `configuration` is the text of `pttd.toml`, `environment`
    /// has more variables of the core, and `prepare` changes the server's devices before the core starts.
    static func start(
        _ program: SoundServerProgram,
        _ configuration: String? = nil,
        environment: [String: String] = [:],
        playsTones: Bool = false,
        prepare: @EventLoop (PrivateAudioServer) async throws -> Void = { _ in }
    ) async throws -> MicrophoneFixture {
        let sound = try await PrivateAudioServer.startOrSkip(program)
        try await prepare(sound)
        let core = try await CoreFixture.start(
            sound: sound,
            configuration: configuration,
            environment: environment,
            playsTones: playsTones
        )
        let application = try core.connect()
        let token = try #require(try await application.join(application: "Test").token)
        let fixture = try MicrophoneFixture(
            sound: sound,
            core: core,
            application: application,
            audio: core.attachAudio(token)
        )
        if try await !fixture.statuses.next().isAudioServerReady {
            try await fixture.published { $0 == .audioServerReady }
        }
        return fixture
    }

    private init(
        sound: PrivateAudioServer,
        core: CoreFixture,
        application: CoreClient,
        audio: consuming OwnedDescriptor
    ) throws {
        self.sound = sound
        self.core = core
        self.application = application
        self.audio = audio
        accessoryd = try core.connect()
        watcher = try core.connect()
        reader = try DescriptorSource(self.audio.value, .readable) { [weak self] _ in self?.read() }
        watcher.client.subscribe("\(ChannelInterface.name).Subscribe") { [weak self] answer, _ in
            guard let update = try? answer.get().decode(ChannelInterface.Update.self) else { return }
            if let status = update.status { self?.statuses.add(status) }
            if let event = update.event { self?.happened(event, at: update.time) }
        }
    }

    isolated deinit { reader?.cancel() }

    private func happened(_ event: CoreEvent, at time: Int) {
        if event == .audioActivated { activated = Int64(time) }
        if case .routeChanged(let input?, _) = event { self.input = input }
        happenings.add(.event(event))
    }

    private func read() {
        if isPacketThere() { happenings.add(.packet) } else { reader?.cancel() }
    }

    private func isPacketThere() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(audio.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > AudioPacketHeader.size else { return count > 0 }
        packetCount += 1
        firstPacket = firstPacket ?? AudioPacketHeader(buffer).map { $0.timestamp.nanoseconds / 1000 }
        buffer[AudioPacketHeader.size..<count].withUnsafeBytes {
            let samples = $0.bindMemory(to: Int16.self)
            peak = samples.reduce(peak) { max($0, abs(Int($1))) }
            paddingOfLast = samples.lastIndex { $0 != 0 }.map { samples.count - 1 - $0 }
        }
        return true
    }

    /// The cause of the end of the transmission that has just begun; nil if the application received sound
    /// before.
    func firstSoundOrEnd() async throws -> EndCause? {
        let happening = try await happenings.first {
            switch $0 {
            case .packet, .event(.transmissionEnded): true
            case .event: false
            }
        }
        return if case .event(.transmissionEnded(_, let cause, _)) = happening { cause } else { nil }
    }

    /// Waits until the application has received this number of packets.
    func packets(_ count: Int) async throws {
        while packetCount < count { _ = try await happenings.next() }
    }

    /// The end of the transmission, after all packets.
    func end() async throws -> EndCause {
        try await happenings.firstValue {
            if case .event(.transmissionEnded(_, let cause, _)) = $0 { cause } else { nil }
        }
    }

    func published(_ isWanted: (CoreEvent) -> Bool) async throws {
        _ = try await happenings.first {
            if case .event(let event) = $0 { isWanted(event) } else { false }
        }
    }

    /// The application has received no packet since the last that was counted.
    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // Everything that was sent before this reply has arrived.
        _ = try await accessoryd.status()
        #expect(!isPacketThere(), sourceLocation: sourceLocation)
    }
}

import EventLoop
import Foundation
import Glibc
import PTTMessages
import PulseAudio
import TestSupport

/// A core with an application that has joined, and a sound server.
@EventLoop
struct PlaybackFixture {
    let sound: PrivateAudioServer
    let core: CoreFixture
    let watcher: CoreClient
    let application: AttachedApplication

    static func start() async throws -> PlaybackFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        return PlaybackFixture(sound: sound, core: core, watcher: watcher, application: application)
    }

    func writer() throws -> Writer {
        try Writer(core.attachAudio(application.attachment.audioToken))
    }
}

/// The application's end of the audio socket.
@EventLoop
final class Writer {
    let ended = AsyncQueue(of: Void.self)
    private let room = AsyncQueue(of: Void.self)
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?
    private var phase = 0

    init(_ descriptor: consuming OwnedDescriptor) throws {
        self.descriptor = descriptor
        source = try DescriptorSource(self.descriptor.value, .readable) { [weak self] _ in self?.ready() }
    }

    // Before the descriptor closes with this object.
    isolated deinit { source?.cancel() }

    private func ready() {
        var byte: UInt8 = 0
        if recv(descriptor.value, &byte, 1, Int32(MSG_DONTWAIT)) == 0 {
            ended.add(())
            source?.interest = []
        } else {
            source?.interest = .readable
            room.add(())
        }
    }

    /// - Returns: True if the socket had room for it.
    func write(_ packet: [UInt8]) -> Bool {
        send(descriptor.value, packet, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) == packet.count
    }

    /// The next 20 ms of a tone.
    func write(_ pitch: Double) -> Bool {
        let samples = (phase..<phase + 960).map { index in
            Int16(10_000 * sin(Double(index) * pitch * 2 * .pi / 48_000))
        }
        let header = AudioPacketHeader(sequence: 0, timestamp: MonotonicTime(nanoseconds: 0)).bytes
        guard
            write(
                header
                    + samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
            )
        else { return false }
        phase += 960
        return true
    }

    func writeWhenPossible(_ pitch: Double) async throws {
        while !write(pitch) {
            source?.interest = [.readable, .writable]
            try await room.next()
        }
    }
}

/// The sound at the speaker.
@EventLoop
final class Listener {
    private let audio: AudioServer
    private let samples = AsyncQueue(of: [Int16].self)
    private var stream: CaptureStream?

    init(_ sound: PrivateAudioServer, of device: String = "speaker.monitor") async throws {
        audio = AudioServer(applicationName: "PlaybackTests", address: sound.address)
        let ready = AsyncQueue(of: Void.self)
        audio.stateChanged = { if case .ready = $0 { ready.add(()) } }
        audio.connect()
        try await ready.next()
        let started = AsyncQueue(of: Void.self)
        let request = StreamRequest(name: "listener", role: nil, device: device)
        stream = try CaptureStream(on: audio, request) { event in
            if event == .started { started.add(()) }
        } fragments: { [samples] bytes, _ in
            samples.add(bytes.withMemoryRebound(to: Int16.self) { Array($0) })
        }
        try await started.next()
    }

    isolated deinit { audio.close() }

    /// `count` samples from the first loud one.
    func heard(_ count: Int) async throws -> [Int16] {
        let deadline = Deadline()
        var heard: [Int16] = []
        while heard.count < count {
            try deadline.check()
            let next = try await samples.next()
            heard += heard.isEmpty ? Array(next.drop { abs($0) < 1000 }) : next
        }
        return Array(heard.prefix(count))
    }

    /// All samples that were captured and not heard yet, and `count` samples or more from now on.
    func all(andNext count: Int) async throws -> [Int16] {
        let deadline = Deadline()
        // Marks the present: no fragment is empty.
        samples.add([])
        var (all, end) = ([Int16](), Int?.none)
        while end.map({ all.count < $0 }) ?? true {
            try deadline.check()
            let next = try await samples.next()
            if next.isEmpty { end = all.count + count }
            all += next
        }
        return all
    }
}

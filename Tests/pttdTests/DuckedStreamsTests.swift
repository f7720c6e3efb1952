import CoreConfiguration
import EventLoop
import TestSupport
import Testing

@testable import PulseAudio
@testable import pttd

/// Which streams of other programs are changed, as values.
@Suite struct DuckedStreamsTests {
    private static let now = MonotonicInstant(nanoseconds: 0)

    private func music(_ volume: UInt32 = 65_536) -> AudioStream {
        AudioStream(index: 7, device: 1, client: 3, volumes: [volume, volume / 2], restoreID: "music")
    }

    private func listed(_ streams: [AudioStream], sinks: [AudioSink] = []) -> DuckedStreams.Event {
        var devices = AudioDevices()
        (devices.sinkInputs, devices.sinks) = (streams, sinks)
        return .listed(devices)
    }

    /// The orders for these streams in a press whose changes could be written down.
    private func orders(
        _ mode: DuckingMode,
        _ streams: [AudioStream],
        sinks: [AudioSink] = []
    ) -> [DuckedStreams.Effect] {
        var ducked = DuckedStreams(mode)
        _ = ducked.handle(.microphoneOpened, at: Self.now)
        _ = ducked.handle(listed(streams, sinks: sinks), at: Self.now)
        _ = ducked.handle(.saved(true), at: Self.now)
        return ducked.handle(listed(streams, sinks: sinks), at: Self.now)
    }

    @Test(arguments: [DuckingMode.lower, .mute])
    func `whatever happens, each stream has its volume of before once the microphone is closed`(
        mode: DuckingMode
    ) {
        var random = SplitMix.ofThisRun()
        var duckings = 0
        for _ in 0..<500 {
            var playback = SimulatedPlayback(mode)
            if let wrong = playback.run(60, &random) {
                Issue.record("\(wrong)")
                return
            }
            duckings += playback.duckings
        }
        #expect(duckings > 500)
    }

    @Test func `a change is written down before it is made, and keeps the balance`() {
        var ducked = DuckedStreams(.lower)
        #expect(ducked.handle(.microphoneOpened, at: Self.now).isEmpty)
        let change = DuckedStreams.Change(program: "music", input: 7, original: 65_536, lowered: 30_408)
        #expect(ducked.handle(listed([music()]), at: Self.now) == [.save([change])])
        #expect(ducked.handle(.saved(true), at: Self.now) == [.list])
        #expect(ducked.handle(listed([music()]), at: Self.now) == [.setVolumes([30_408, 15_204], input: 7)])
        #expect(ducked.handle(listed([music(30_408)]), at: Self.now).isEmpty)
        #expect(ducked.handle(.microphoneClosed, at: Self.now) == [.setVolumes([65_536, 32_768], input: 7)])
        #expect(ducked.handle(listed([music()]), at: Self.now) == [.save([])])
        #expect(!ducked.isActive)
    }

    @Test func `without a file nothing is changed`() {
        var ducked = DuckedStreams(.mute)
        _ = ducked.handle(.microphoneOpened, at: Self.now)
        _ = ducked.handle(listed([music()]), at: Self.now)
        #expect(ducked.handle(.saved(false), at: Self.now) == [.save([])])
        #expect(ducked.handle(listed([music()]), at: Self.now).isEmpty)
    }

    @Test func `a press that is over before the change is written down changes nothing`() {
        var ducked = DuckedStreams(.mute)
        _ = ducked.handle(.microphoneOpened, at: Self.now)
        _ = ducked.handle(listed([music()]), at: Self.now)
        #expect(ducked.handle(.microphoneClosed, at: Self.now) == [.save([])])
        #expect(ducked.handle(.saved(true), at: Self.now).isEmpty)
    }

    @Test(arguments: [DuckingMode.lower, .mute])
    func `our own streams, those of the server, calls, notifications and screen readers stay`(
        mode: DuckingMode
    ) {
        #expect(orders(mode, [music()]).count == 1)
        let changes: [(inout AudioStream) -> Void] = [
            { $0.isOwn = true }, { $0.isMarked = true }, { $0.client = nil }, { $0.role = "phone" },
            { $0.role = "event" }, { $0.role = "a11y" }, { $0.isMuted = true }, { $0.isCorked = true },
            { $0.volumes = [0] }, { $0.volumes = [] }, { $0.restoreID = nil }, { $0.volumes = [.max] },
            { $0.restoreID = String(repeating: "a", count: 129) },
        ]
        for change in changes {
            var stream = music()
            change(&stream)
            #expect(orders(mode, [stream]).isEmpty, "\(stream)")
        }
        let feed = AudioSink(
            index: 1,
            name: "ptt_feed",
            isMuted: false,
            isOwn: true,
            monitor: nil,
            owner: DeviceOwner(module: nil, linkGroup: nil)
        )
        #expect(orders(mode, [music()], sinks: [feed]).isEmpty)
    }

    @Test func `a stream that a person has muted is not unmuted with another of its program`() {
        var ducked = DuckedStreams(.mute)
        var (playing, muted) = (music(), music())
        (muted.index, muted.isMuted) = (8, true)
        _ = ducked.handle(.microphoneOpened, at: Self.now)
        _ = ducked.handle(listed([playing, muted]), at: Self.now)
        _ = ducked.handle(.saved(true), at: Self.now)
        #expect(ducked.handle(listed([playing, muted]), at: Self.now) == [.setMuted(true, input: 7)])
        playing.isMuted = true
        _ = ducked.handle(listed([playing, muted]), at: Self.now)
        #expect(ducked.handle(.microphoneClosed, at: Self.now) == [.setMuted(false, input: 7)])
    }

    @Test func `a file with volumes that nobody has is not obeyed`() {
        let change = DuckedStreams.Change(program: "music", input: 7, original: .max, lowered: 30_408)
        var ducked = DuckedStreams(.off, undone: [change])
        #expect(ducked.handle(listed([music(30_408)]), at: Self.now).isEmpty)
    }
}

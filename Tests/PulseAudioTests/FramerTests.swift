import EventLoop
import Testing

@testable import PulseAudio

@Suite struct FramerTests {
    private struct Frame: Equatable {
        let bytes: [UInt8]
        let time: MonotonicInstant
    }

    private func frames(
        _ framer: inout Framer,
        _ bytes: [UInt8],
        at nanoseconds: Int64
    ) -> [Frame] {
        var frames: [Frame] = []
        bytes.withUnsafeBytes {
            framer.append($0, at: MonotonicInstant(nanoseconds: nanoseconds)) { bytes, time in
                frames.append(Frame(bytes: Array(bytes), time: time))
            }
        }
        return frames
    }

    @Test func `a frame of 20 ms at 48 kHz mono is 960 samples`() {
        #expect(Framer(.speech).frameByteCount == 1920)
    }

    @Test(arguments: [1, 2, 7, 480, 1919, 1920, 1921, 5000, 20_000])
    func `fragments of any size are cut into the same frames`(size: Int) {
        let sent = (0..<1920 * 10).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var framer = Framer(.speech)
        var received: [UInt8] = []
        for start in stride(from: 0, to: sent.count, by: size) {
            let fragment = Array(sent[start..<min(start + size, sent.count)])
            for frame in frames(&framer, fragment, at: 0) {
                #expect(frame.bytes.count == 1920)
                received += frame.bytes
            }
        }
        #expect(received == sent)
    }

    @Test func `a frame has the time of its first sample`() {
        var framer = Framer(.speech)
        // 15 ms from 100 ms on: no frame yet. The next 10 ms complete it and leave 5 ms from 120 ms on.
        #expect(frames(&framer, .init(repeating: 0, count: 1440), at: 100_000_000).isEmpty)
        let first = frames(&framer, .init(repeating: 0, count: 960), at: 115_000_000)
        #expect(first.map(\.time.nanoseconds) == [100_000_000])
        let later = frames(&framer, .init(repeating: 0, count: 1440 + 1920), at: 125_000_000)
        #expect(later.map(\.time.nanoseconds) == [120_000_000, 140_000_000])
    }

    @Test func `times never decrease when fragments arrive in a burst`() {
        var framer = Framer(.speech)
        let first = frames(&framer, .init(repeating: 0, count: 1920), at: 80_000_000)
        let burst = frames(&framer, .init(repeating: 0, count: 3840), at: 61_000_000)
        #expect((first + burst).map(\.time.nanoseconds) == [80_000_000, 80_000_000, 81_000_000])
    }

    @Test func `a flush delivers an incomplete frame, and the next begins after it`() {
        var framer = Framer(.speech, frame: .milliseconds(5))
        var frames: [(count: Int, time: MonotonicInstant)] = []
        let time = MonotonicInstant(nanoseconds: 0)
        [UInt8](repeating: 1, count: 500).withUnsafeBytes { bytes in
            framer.append(bytes, at: time) { frames.append(($0.count, $1)) }
        }
        framer.flush { frames.append(($0.count, $1)) }
        framer.flush { frames.append(($0.count, $1)) }
        [UInt8](repeating: 1, count: 480).withUnsafeBytes { bytes in
            framer.append(bytes, at: time + .milliseconds(10)) { frames.append(($0.count, $1)) }
        }
        #expect(frames.map(\.count) == [480, 20, 480])
        #expect(frames.map(\.time) == [time, time + .milliseconds(5), time + .milliseconds(10)])
    }

    @Test func `a reset discards an incomplete frame`() {
        var framer = Framer(.speech)
        #expect(frames(&framer, .init(repeating: 1, count: 100), at: 0).isEmpty)
        framer.reset()
        let frame = frames(&framer, .init(repeating: 2, count: 1920), at: 0)
        #expect(frame.map(\.bytes) == [.init(repeating: 2, count: 1920)])
    }
}

@Suite struct SampleSpecTests {
    @Test func `bytes and durations convert both ways`() {
        let format = SampleSpec(rate: 44_100, channels: 2)
        #expect(format.byteCount(of: .milliseconds(10)) == 441 * 4)
        #expect(format.duration(ofBytes: 44_100 * 4) == .seconds(1))
        #expect(SampleSpec.speech.byteCount(of: .zero) == 0)
    }
}

import EventLoop
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// The levels of microphone and speaker.
@Suite struct LevelTests {
    init() { withRunningLoop() }

    private func level(_ samples: [Int16]) -> Double? {
        var meter = LevelMeter()
        samples.withUnsafeBytes { meter.add($0) }
        return meter.take()
    }

    @Test func `full scale is 0 dB, half of it 6 less, and silence the floor`() {
        #expect(level(Array(repeating: .min, count: 960)) == 0)
        #expect(level(Array(repeating: 16384, count: 960)) == -6)
        #expect(level(Array(repeating: 0, count: 960)) == -96)
        #expect(level([]) == nil)
    }

    @Test func `a level is that of what has passed since the one before, wherever its bytes lie`() {
        var meter = LevelMeter()
        let bytes: [UInt8] = [0] + Array(repeating: [0x00, 0x40], count: 100).flatMap { $0 } + [1]
        bytes.withUnsafeBytes { meter.add(UnsafeRawBufferPointer(rebasing: $0[1...])) }
        #expect(meter.take() == -6)
        #expect(meter.take() == nil)
    }

    @Test @EventLoop func `nothing is measured without a subscriber, and little is reported to one`()
        async throws
    {
        let reports = AsyncQueue(of: ChannelInterface.LevelReport.self)
        let levels = LevelReports()
        levels.report = { reports.add($0) }
        let loud = [Int16](repeating: 16384, count: 960)
        func pass(_ times: Int) {
            for _ in 0..<times {
                loud.withUnsafeBytes {
                    levels.captured($0)
                    levels.played($0)
                }
            }
        }
        pass(1)
        levels.isWanted = true
        pass(50)
        #expect(try await reports.next() == .init(microphone: -6, speaker: -6))
        #expect(try await reports.next() == .init(microphone: nil, speaker: nil))
        pass(1)
        levels.isWanted = false
        levels.isWanted = true
        loud.withUnsafeBytes { levels.captured($0) }
        #expect(try await reports.next() == .init(microphone: -6, speaker: nil))
    }
}

/// The format of a stream of samples: signed 16 bit, little endian, channels interleaved.
package struct SampleSpec: Sendable, Equatable {
    /// Sample frames per second, 8000 to 192000.
    package let rate: Int
    /// 1 or 2.
    package let channels: Int

    /// 48 kHz mono, which every server and codec on the path supports natively.
    package static let speech = SampleSpec(rate: 48_000, channels: 1)

    package init(rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    /// Bytes of one sample of every channel.
    package var bytesPerSampleFrame: Int { channels * 2 }

    /// The number of bytes for `duration`, rounded down to whole sample frames.
    package func byteCount(of duration: Duration) -> Int {
        let sampleFrames = Double(rate) * (duration / .seconds(1))
        return Int(sampleFrames.rounded(.down)) * bytesPerSampleFrame
    }

    /// The duration of `byteCount` bytes.
    package func duration(ofBytes byteCount: Int) -> Duration {
        .nanoseconds(Int64(byteCount) * 1_000_000_000 / Int64(rate * bytesPerSampleFrame))
    }
}

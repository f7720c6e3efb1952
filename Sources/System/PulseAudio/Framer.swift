package import EventLoop

/// Cuts fragments of any size into frames of one exact length.
///
/// A frame's time is that of its first sample, reckoned from the time of the fragment in which that sample
/// came. Times never run backwards, although fragments that were held up arrive in bursts.
package struct Framer: Sendable {
    package let format: SampleSpec
    /// Bytes of every frame.
    package let frameByteCount: Int

    private var partial: [UInt8] = []
    private var partialTime = MonotonicInstant(nanoseconds: .min)
    private var latest = MonotonicInstant(nanoseconds: .min)

    /// - Parameters:
    ///   - format: Of the fragments and of the frames.
    ///   - frame: The length of a frame; at least one sample.
    package init(_ format: SampleSpec, frame: Duration = .milliseconds(20)) {
        self.format = format
        frameByteCount = max(format.byteCount(of: frame), format.bytesPerSampleFrame)
        partial.reserveCapacity(frameByteCount)
    }

    /// Takes a fragment in and hands out the frames that it completes, in order.
    ///
    /// - Parameters:
    ///   - fragment: Follows the fragment before without a gap.
    ///   - time: That of the fragment's first sample.
    ///   - deliver: The bytes are good for the time of the call.
    package mutating func append(
        _ fragment: UnsafeRawBufferPointer,
        at time: MonotonicInstant,
        deliver: (UnsafeRawBufferPointer, MonotonicInstant) -> Void
    ) {
        var offset = 0
        if !partial.isEmpty {
            offset = min(frameByteCount - partial.count, fragment.count)
            partial.append(contentsOf: fragment[..<offset])
            guard partial.count == frameByteCount else { return }
            latest = max(latest, partialTime)
            partial.withUnsafeBytes { deliver($0, latest) }
            partial.removeAll(keepingCapacity: true)
        }
        while fragment.count - offset >= frameByteCount {
            latest = max(latest, time + format.duration(ofBytes: offset))
            deliver(UnsafeRawBufferPointer(rebasing: fragment[offset..<offset + frameByteCount]), latest)
            offset += frameByteCount
        }
        if offset < fragment.count {
            partialTime = time + format.duration(ofBytes: offset)
            partial.append(contentsOf: fragment[offset...])
        }
    }

    /// Forgets an unfinished frame, at a gap in the stream.
    package mutating func reset() {
        partial.removeAll(keepingCapacity: true)
    }
}

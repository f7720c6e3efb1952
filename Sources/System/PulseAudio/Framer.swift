package import EventLoop

/// Cuts fragments of any size into frames of one exact length.
///
/// The time of a frame is that of its first sample, calculated from the time of the fragment that contained
/// the sample. Times never decrease, although delayed fragments arrive in bursts.
package struct Framer: Sendable {
    package let format: SampleSpec
    /// The bytes of a frame.
    package let frameByteCount: Int

    private var partial: [UInt8] = []
    private var partialTime = MonotonicInstant(nanoseconds: .min)
    private var latest = MonotonicInstant(nanoseconds: .min)

    /// A frame has at least one sample.
    package init(_ format: SampleSpec, frame: Duration = .milliseconds(20)) {
        self.format = format
        frameByteCount = max(format.byteCount(of: frame), format.bytesPerSampleFrame)
        partial.reserveCapacity(frameByteCount)
    }

    /// Appends a fragment and delivers the frames that it completes, in order.
    ///
    /// - Parameters:
    ///   - fragment: Continues the previous fragment without a gap.
    ///   - time: The time of its first sample.
    ///   - deliver: Receives each frame and its time. The bytes are valid during the call.
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
            flush(deliver: deliver)
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

    /// Delivers an incomplete frame now, for a receiver that needs samples soon and not frames of one length.
    ///
    /// - Parameter deliver: Receives what there is, if any, and its time. The bytes are valid during the
    ///   call.
    package mutating func flush(deliver: (UnsafeRawBufferPointer, MonotonicInstant) -> Void) {
        guard !partial.isEmpty else { return }
        latest = max(latest, partialTime)
        partial.withUnsafeBytes { deliver($0, latest) }
        partial.removeAll(keepingCapacity: true)
    }

    /// Discards an incomplete frame, at a gap in the stream.
    package mutating func reset() {
        partial.removeAll(keepingCapacity: true)
    }
}

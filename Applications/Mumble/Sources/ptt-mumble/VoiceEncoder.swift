import COpus

/// Encodes 20 milliseconds at a time.
@MainActor
final class VoiceEncoder {
    /// Samples of a packet, at 48 kHz.
    static let sampleCount = 960
    private static let longest = 1000
    /// The least with which Opus spends bits on it at our bitrate.
    private static let expectedLoss: Int32 = 10

    private let encoder: OpaquePointer

    /// Nil without memory.
    init?() {
        var error: Int32 = 0
        guard let encoder = opus_encoder_create(48_000, 1, OPUS_APPLICATION_VOIP, &error) else { return nil }
        self.encoder = encoder
        // They fail for a value out of range only.
        _ = ptt_opus_set_constant_bitrate(encoder)
        _ = ptt_opus_set_redundancy(encoder, Self.expectedLoss)
    }

    isolated deinit { opus_encoder_destroy(encoder) }

    /// Forgets what was said before, so that nothing of it is in the next transmission.
    func reset() {
        _ = ptt_opus_reset(encoder)  // It cannot fail.
    }

    /// - Parameters:
    ///   - samples: ``sampleCount`` samples.
    ///   - bitrate: In bits per second.
    /// - Returns: The packet; nil for another number of samples.
    func encode(_ samples: [Int16], bitrate: Int) -> [UInt8]? {
        guard samples.count == Self.sampleCount else { return nil }
        // It fails for no bitrate at all only.
        _ = ptt_opus_set_bitrate(encoder, opus_int32(clamping: bitrate))
        let packet = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, count in
            guard let bytes = buffer.baseAddress else { return }
            let size = opus_encode(encoder, samples, Int32(samples.count), bytes, opus_int32(buffer.count))
            count = max(0, Int(size))
        }
        return packet.isEmpty ? nil : packet
    }
}

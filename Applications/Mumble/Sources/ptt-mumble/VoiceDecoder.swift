import COpus
import CSpeexDSP

/// What somebody says: packets in any order in, 20 milliseconds at a time out. It begins empty for each
/// talker, so that nothing of the one before is heard.
@MainActor
final class VoiceDecoder {
    static let sampleCount = 960
    /// The longest Opus packet, 120 milliseconds.
    private static let longest = 5760

    private let decoder: OpaquePointer
    private let jitter: OpaquePointer
    private var samples: [Int16] = []

    /// Nil without memory.
    init?() {
        var error: Int32 = 0
        guard let decoder = opus_decoder_create(48_000, 1, &error) else { return nil }
        guard let jitter = jitter_buffer_init(Int32(Self.sampleCount)) else {
            opus_decoder_destroy(decoder)
            return nil
        }
        (self.decoder, self.jitter) = (decoder, jitter)
    }

    isolated deinit {
        opus_decoder_destroy(decoder)
        jitter_buffer_destroy(jitter)
    }

    /// Keeps a packet until its time. What is no Opus packet is dropped.
    ///
    /// - Parameters:
    ///   - opus: The packet.
    ///   - number: Its time in units of 10 milliseconds.
    func put(_ opus: [UInt8], number: UInt64) {
        let span = opus_packet_get_nb_samples(opus, Int32(opus.count), 48_000)
        guard span > 0, Int(span) <= Self.longest else { return }
        var opus = opus
        opus.withUnsafeMutableBytes { bytes in
            var packet = JitterBufferPacket()
            packet.data = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            packet.len = UInt32(bytes.count)
            // Times wrap, and are compared as differences.
            packet.timestamp = UInt32(truncatingIfNeeded: number &* 480)
            packet.span = UInt32(span)
            jitter_buffer_put(jitter, &packet)
        }
    }

    /// Whether packets wait.
    var isEmpty: Bool {
        var count: Int32 = 0
        jitter_buffer_ctl(jitter, JITTER_BUFFER_GET_AVAILABLE_COUNT, &count)
        return count == 0
    }

    /// The next 20 milliseconds. What is missing is made up from what was heard before.
    func next() -> [Int16] {
        while samples.count < Self.sampleCount {
            let wanted = Self.sampleCount - samples.count
            samples += decoded(packet(wanted), wanted)
        }
        jitter_buffer_remaining_span(jitter, UInt32(samples.count - Self.sampleCount))
        defer { samples.removeFirst(Self.sampleCount) }
        return Array(samples.prefix(Self.sampleCount))
    }

    /// - Returns: The packet whose time has come; nil if it is missing.
    private func packet(_ wanted: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let length = bytes.withUnsafeMutableBytes { buffer -> Int? in
            var packet = JitterBufferPacket()
            packet.data = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            packet.len = UInt32(buffer.count)
            let result = jitter_buffer_get(jitter, &packet, Int32(wanted), nil)
            return result == JITTER_BUFFER_OK ? Int(packet.len) : nil
        }
        return length.map { Array(bytes.prefix($0)) }
    }

    /// What a packet says. If it is missing or damaged, that is made up.
    private func decoded(_ packet: [UInt8]?, _ wanted: Int) -> [Int16] {
        if let packet {
            let decoded = decode(packet, packet.count, Self.longest)
            if !decoded.isEmpty { return decoded }
        }
        // Opus makes up multiples of 2.5 milliseconds.
        let madeUp = decode(nil, 0, max(120, wanted / 120 * 120))
        return madeUp.isEmpty ? [Int16](repeating: 0, count: wanted) : madeUp
    }

    private func decode(_ packet: [UInt8]?, _ count: Int, _ capacity: Int) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: capacity) { buffer, size in
            guard let samples = buffer.baseAddress else { return }
            let result = opus_decode(decoder, packet, opus_int32(count), samples, Int32(capacity), 0)
            size = max(0, Int(result))
        }
    }
}

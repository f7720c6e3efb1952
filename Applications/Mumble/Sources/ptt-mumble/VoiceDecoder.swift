import COpus
import CSpeexDSP

/// The voice of somebody: packets in any order in, 20 milliseconds at a time out. It begins empty for each
/// talker, so that nothing of the one before is heard.
@MainActor
final class VoiceDecoder {
    static let sampleCount = 960
    /// The longest Opus packet, 120 milliseconds.
    private static let longest = 5760
    /// More than wait at any time, and bounded.
    private static let keptCount = 128
    /// In units of 20 milliseconds.
    private static let longestWait = 3

    private let decoder: OpaquePointer
    private let jitter: OpaquePointer
    private var samples: [Int16] = []
    /// The packets that came last, with their times: each may have a copy of the one before it.
    private var kept: [(time: UInt32, opus: [UInt8])] = []
    private var hasBegun = false
    /// How often packets were waited for.
    private var waitCount = 0

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
        // Times wrap, and are compared as differences.
        let time = UInt32(truncatingIfNeeded: number &* 480)
        if kept.count == Self.keptCount { kept.removeFirst() }
        kept.append((time, opus))
        var opus = opus
        opus.withUnsafeMutableBytes { bytes in
            var packet = JitterBufferPacket()
            packet.data = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            packet.len = UInt32(bytes.count)
            packet.timestamp = time
            packet.span = UInt32(span)
            jitter_buffer_put(jitter, &packet)
        }
    }

    /// True if no packets wait.
    var isEmpty: Bool {
        var count: Int32 = 0
        jitter_buffer_ctl(jitter, JITTER_BUFFER_GET_AVAILABLE_COUNT, &count)
        return count == 0
    }

    /// The next 20 milliseconds. What is missing is taken from the packet after it, or made up from what was
    /// heard before.
    func next() -> [Int16] {
        while samples.count < Self.sampleCount {
            let wanted = Self.sampleCount - samples.count
            samples += decoded(wanted)
        }
        jitter_buffer_remaining_span(jitter, UInt32(samples.count - Self.sampleCount))
        defer { samples.removeFirst(Self.sampleCount) }
        return Array(samples.prefix(Self.sampleCount))
    }

    private func decoded(_ wanted: Int) -> [Int16] {
        // Opus makes up multiples of 2.5 milliseconds.
        let span = max(120, wanted / 120 * 120)
        let samples = isToWait() ? [] : taken(wanted, span)
        if !samples.isEmpty { return samples }
        let madeUp = decode(nil, 0, span)
        return madeUp.isEmpty ? [Int16](repeating: 0, count: wanted) : madeUp
    }

    /// If nothing is there that is due now or later, all that follows is heard 20 milliseconds later: then
    /// the packet after a lost one is there when that is due. Who loses nothing has no such delay.
    private func isToWait() -> Bool {
        let due = UInt32(bitPattern: jitter_buffer_get_pointer_timestamp(jitter))
        guard hasBegun, waitCount < Self.longestWait,
            !kept.contains(where: { Int32(bitPattern: $0.time &- due) >= 0 })
        else { return false }
        waitCount += 1
        return true
    }

    /// - Returns: The samples of the packet that is due, or of its copy in the packet after it; empty if
    ///   neither is there.
    private func taken(_ wanted: Int, _ span: Int) -> [Int16] {
        var bytes = [UInt8](repeating: 0, count: 1024)
        var packet = JitterBufferPacket()
        let result = bytes.withUnsafeMutableBytes { buffer in
            packet.data = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            packet.len = UInt32(buffer.count)
            return jitter_buffer_get(jitter, &packet, Int32(wanted), nil)
        }
        if result == JITTER_BUFFER_OK {
            hasBegun = true
            return decode(bytes, Int(packet.len), Self.longest)
        }
        guard result == JITTER_BUFFER_MISSING else { return [] }
        let next = packet.timestamp &+ packet.span
        // One that does not say it again is of no harm: Opus makes it up then.
        guard let following = kept.last(where: { $0.time == next })?.opus else { return [] }
        return decode(following, following.count, span, isBefore: true)
    }

    // Before a packet: what was said there, as much as the capacity is.
    private func decode(
        _ packet: [UInt8]?,
        _ count: Int,
        _ capacity: Int,
        isBefore: Bool = false
    ) -> [Int16] {
        [Int16](unsafeUninitializedCapacity: capacity) { buffer, size in
            guard let samples = buffer.baseAddress else { return }
            let (count, capacity) = (opus_int32(count), Int32(capacity))
            let result = opus_decode(decoder, packet, count, samples, capacity, isBefore ? 1 : 0)
            size = max(0, Int(result))
        }
    }
}

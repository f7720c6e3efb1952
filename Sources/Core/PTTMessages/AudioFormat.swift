/// Signed 16-bit little-endian samples, interleaved.
package struct AudioFormat: Hashable, Codable, Sendable {
    /// Samples per second and channel.
    package let rate: Int
    package let channels: Int

    package static let standard = AudioFormat(uncheckedRate: 48_000, channels: 1)

    /// Rates that divide into whole packets of 20 ms.
    package static let rates = [8_000, 16_000, 24_000, 32_000, 48_000]

    /// The length of one packet on the audio socket.
    package static let packetDuration = Duration.milliseconds(20)

    /// Gives nil for a rate that is not in ``rates`` and for anything but one or two channels.
    package init?(rate: Int, channels: Int) {
        guard Self.rates.contains(rate), (1...2).contains(channels) else { return nil }
        self.init(uncheckedRate: rate, channels: channels)
    }

    package var samplesPerPacket: Int { rate / 50 }

    package var bytesPerPacket: Int { samplesPerPacket * channels * 2 }

    private init(uncheckedRate rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
    }

    private enum CodingKeys: CodingKey {
        case rate
        case channels
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let rate = try container.decode(Int.self, forKey: .rate)
        let channels = try container.decode(Int.self, forKey: .channels)
        guard let format = AudioFormat(rate: rate, channels: channels) else {
            throw DecodingError.dataCorruptedError(
                forKey: .rate,
                in: container,
                debugDescription: "rate must be one of \(Self.rates) and channels 1 or 2"
            )
        }
        self = format
    }
}

/// One packet on the audio socket: 16 bytes of header, then 20 ms of samples.
///
/// ```
/// 0        8            16
/// | sequence | timestamp | samples: S16LE, interleaved …
/// ```
/// Both numbers are unsigned 64-bit little-endian. The sequence counts packets from 0 in each transmission; a
/// gap says how many were lost because the application did not read. The timestamp is that of the first
/// sample, in nanoseconds of the monotonic clock.
package struct AudioPacketHeader: Equatable, Sendable {
    package static let size = 16

    package let sequence: UInt64
    package let timestamp: MonotonicTime

    package init(sequence: UInt64, timestamp: MonotonicTime) {
        self.sequence = sequence
        self.timestamp = timestamp
    }

    /// Gives nil if fewer than ``size`` bytes are there.
    package init?(_ packet: some Collection<UInt8>) {
        guard packet.count >= Self.size else { return nil }
        sequence = Self.number(packet.prefix(8))
        timestamp = MonotonicTime(
            nanoseconds: Int64(truncatingIfNeeded: Self.number(packet.dropFirst(8).prefix(8)))
        )
    }

    package var bytes: [UInt8] {
        Self.bytes(sequence) + Self.bytes(UInt64(bitPattern: timestamp.nanoseconds))
    }

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

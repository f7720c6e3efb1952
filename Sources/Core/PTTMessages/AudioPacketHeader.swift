/// One packet on the audio socket: 16 bytes of header, then 20 ms of samples.
///
/// ```
/// 0        8            16
/// | sequence | timestamp | samples: S16LE, interleaved …
/// ```
/// Both numbers are unsigned 64-bit little-endian. The sequence counts packets from 0 in each transmission; a
/// gap shows how many were lost because the application did not read. The timestamp is that of the first
/// sample, in nanoseconds of the monotonic clock.
package struct AudioPacketHeader: Equatable, Sendable {
    package static let size = 16

    package let sequence: UInt64
    package let timestamp: MonotonicTime

    package init(sequence: UInt64, timestamp: MonotonicTime) {
        self.sequence = sequence
        self.timestamp = timestamp
    }

    /// - Parameter packet: Nil is returned if it has fewer than ``size`` bytes.
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

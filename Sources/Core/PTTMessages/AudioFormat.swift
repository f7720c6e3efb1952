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

    /// Of all formats, in bytes.
    package static let largestPacket = AudioFormat(uncheckedRate: 48_000, channels: 2).bytesPerPacket

    package var bytesPerPacket: Int { samplesPerPacket * channels * 2 }

    private init(uncheckedRate rate: Int, channels: Int) {
        self.rate = rate
        self.channels = channels
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

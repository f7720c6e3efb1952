import Glibc

/// A sound file that cannot be used.
package struct WAVError: Error, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path) cannot be used: \(reason)" }
}

/// The samples of a RIFF WAVE file: PCM of 8, 16, 24 or 32 bits, or floating point of 32 bits.
package struct WAVSound: Equatable, Sendable {
    /// Samples per second and channel.
    package let rate: Int
    /// Interleaved channels, from -1 to 1.
    private let samples: [Float]
    private let channels: Int

    private static let rates = 1000...384_000
    private static let channelCounts = 1...8

    /// - Parameters:
    ///   - path: Of a regular file; nothing else is opened for long, and no more is read than `longest` can
    ///     need.
    ///   - longest: A longer sound is refused.
    /// - Throws: If it cannot be read, or is not such a file.
    package init(reading path: String, longest: Duration) throws(WAVError) {
        // A named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw WAVError(path: path, reason: String(cString: strerror(errno))) }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw WAVError(path: path, reason: "it is not a file")
        }
        try self.init(Reader(path: path, descriptor: descriptor, size: Int(status.st_size)), longest: longest)
    }

    private init(_ file: Reader, longest: Duration) throws(WAVError) {
        guard let riff = file.bytes(at: 0, count: 12), riff.starts(with: "RIFF".utf8),
            riff[8...].elementsEqual("WAVE".utf8)
        else { throw file.unusable("it is not a WAV file") }
        var (position, format) = (12, Format?.none)
        // More parts than any editor writes.
        for _ in 0..<100 {
            guard let head = file.bytes(at: position, count: 8) else { break }
            let size = number(head[4...])
            position += 8
            if head.starts(with: "fmt ".utf8) {
                format = try Format(file, at: position, size)
            } else if head.starts(with: "data".utf8) {
                guard let format else { throw file.unusable("its format is missing") }
                try self.init(file, format, at: position, size, longest)
                return
            }
            // Parts begin at even positions.
            position += size + size % 2
        }
        throw file.unusable("it has no samples")
    }

    private init(_ file: Reader, _ format: Format, at position: Int, _ size: Int, _ longest: Duration)
        throws(WAVError)
    {
        // Programs that write to a pipe do not know the size: then it is the largest, and the rest of the
        // file counts.
        let size = min(size, file.size - position)
        let frame = format.channels * format.bytesPerSample
        guard size >= frame else { throw file.unusable("it has no samples") }
        let duration = Duration.seconds(Double(size / frame) / Double(format.rate))
        guard duration <= longest else {
            throw file.unusable("it has \(duration), more than \(longest)")
        }
        guard let bytes = file.bytes(at: position, count: size - size % frame) else {
            throw file.unusable("it cannot be read")
        }
        rate = format.rate
        channels = format.channels
        let width = format.bytesPerSample
        samples = stride(from: 0, to: bytes.count, by: width).map { format.sample(bytes[$0..<$0 + width]) }
    }

    /// One channel of 16 bits, the mean of all.
    ///
    /// - Parameter wanted: Samples per second, to which it is converted.
    /// - Returns: The samples; those that would be too large are the largest.
    package func mono(rate wanted: Int) -> [Int16] {
        let count = samples.count / channels
        let mono = (0..<count).map { index in
            samples[index * channels..<(index + 1) * channels].reduce(0, +) / Float(channels)
        }
        let converted = wanted == rate ? mono : Self.resample(mono, by: Double(wanted) / Double(rate))
        return converted.map { Int16(max(-32_768, min(32_767, ($0 * 32_767).rounded()))) }
    }

    /// Samples between the given ones, by a sinc filter with a cosine window of 16 zero crossings on each
    /// side. It removes what is above half of the lower rate.
    private static func resample(_ samples: [Float], by ratio: Double) -> [Float] {
        let cutoff = min(1, ratio)
        let reach = 16 / cutoff
        return (0..<Int(Double(samples.count) * ratio)).map { index in
            let center = Double(index) / ratio
            let first = max(0, Int((center - reach).rounded(.up)))
            let last = min(samples.count - 1, Int(center + reach))
            guard first <= last else { return 0 }
            return (first...last).reduce(into: Float(0)) { sum, position in
                let distance = Double(position) - center
                let angle = Double.pi * distance * cutoff
                let sinc = angle == 0 ? 1 : sin(angle) / angle
                sum += samples[position] * Float(cutoff * sinc * cos(distance / reach * .pi / 2))
            }
        }
    }

    private struct Reader {
        let path: String
        let descriptor: Int32
        let size: Int

        /// Nil if the file ends before.
        func bytes(at position: Int, count: Int) -> [UInt8]? {
            guard count >= 0, position <= size - count else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            return pread(descriptor, &bytes, count, off_t(position)) == count ? bytes : nil
        }

        func unusable(_ reason: String) -> WAVError { WAVError(path: path, reason: reason) }
    }

    private struct Format {
        let rate: Int
        let channels: Int
        let bytesPerSample: Int
        private let isFloat: Bool

        /// The part "fmt " of a file. WAVE_FORMAT_EXTENSIBLE has the kind of samples in its last member.
        init(_ file: Reader, at position: Int, _ size: Int) throws(WAVError) {
            guard let bytes = file.bytes(at: position, count: min(size, 40)), bytes.count >= 16 else {
                throw file.unusable("its format is incomplete")
            }
            let kind = number(bytes[0..<2])
            let samples = kind == 0xFFFE && bytes.count >= 26 ? number(bytes[24..<26]) : kind
            let bits = number(bytes[14..<16])
            rate = number(bytes[4..<8])
            channels = number(bytes[2..<4])
            bytesPerSample = bits / 8
            isFloat = samples == 3
            let isKnown = isFloat ? bits == 32 : samples == 1 && [8, 16, 24, 32].contains(bits)
            guard isKnown else { throw file.unusable("its samples are neither PCM nor floating point") }
            guard WAVSound.rates.contains(rate) else {
                throw file.unusable("it has \(rate) samples per second")
            }
            guard WAVSound.channelCounts.contains(channels) else {
                throw file.unusable("it has \(channels) channels")
            }
        }

        func sample(_ bytes: ArraySlice<UInt8>) -> Float {
            let value = UInt32(truncatingIfNeeded: number(bytes))
            if isFloat {
                let float = Float(bitPattern: value)
                return float.isFinite ? max(-1, min(1, float)) : 0
            }
            // 8 bits are unsigned, all others signed.
            if bytesPerSample == 1 { return (Float(value) - 128) / 128 }
            let shifted = Int32(bitPattern: value << UInt32(32 - bytesPerSample * 8))
            return Float(shifted) / 2_147_483_648
        }
    }
}

/// Little endian.
private func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
}

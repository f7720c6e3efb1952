package import EventLoop
import Glibc

/// Writes S16LE samples as a RIFF WAVE file. The header is completed by ``finish()``, and is valid for an empty
/// file before that, so that a killed recording can still be opened.
package struct WAVFile {
    private static let headerSize = 44
    /// RIFF lengths are 32 bits.
    private static let sizeLimit = Int(UInt32.max) - headerSize

    private let path: String
    private let file: UnsafeMutablePointer<FILE>
    private let rate: Int
    private let channels: Int
    /// Bytes of samples written.
    package private(set) var size = 0

    /// - Parameters:
    ///   - path: Replaced if it is there.
    ///   - rate: Samples per second and channel.
    ///   - channels: Interleaved in the samples.
    /// - Throws: If it cannot be written.
    package init(creating path: String, rate: Int, channels: Int) throws(SystemError) {
        guard let file = fopen(path, "we") else { throw SystemError("create \(path)") }
        self.path = path
        self.file = file
        self.rate = rate
        self.channels = channels
        try writeHeader()
    }

    /// The length of what was written.
    package var duration: Duration {
        .seconds(Double(size) / Double(rate * channels * 2))
    }

    /// - Parameter samples: Whole ones, of all channels.
    /// - Throws: If they cannot be written, or the file would be longer than its lengths can say.
    package mutating func append(_ samples: some Collection<UInt8>) throws(SystemError) {
        guard size + samples.count <= Self.sizeLimit else { throw SystemError("write \(path)", EFBIG) }
        try write(Array(samples))
        size += samples.count
    }

    /// - Throws: If the file cannot be completed. Nothing can be written afterwards.
    package func finish() throws(SystemError) {
        guard fseek(file, 0, SEEK_SET) == 0 else { throw SystemError("complete \(path)") }
        try writeHeader()
        guard fclose(file) == 0 else { throw SystemError("complete \(path)") }
    }

    private func writeHeader() throws(SystemError) {
        let frame = channels * 2
        var header = Array("RIFF".utf8) + number(36 + size, bytes: 4) + Array("WAVEfmt ".utf8)
        header += number(16, bytes: 4) + number(1, bytes: 2) + number(channels, bytes: 2)
        header += number(rate, bytes: 4) + number(rate * frame, bytes: 4)
        header += number(frame, bytes: 2) + number(16, bytes: 2)
        header += Array("data".utf8) + number(size, bytes: 4)
        try write(header)
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemError("write \(path)") }
    }

    private func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

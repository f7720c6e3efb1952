package import EventLoop
import Glibc

/// Writes S16LE samples as a RIFF WAVE file. ``finish()`` completes the header; until then it is that of an
/// empty file, so that the file can be opened even if the process is killed.
package struct WAVFile {
    package static let headerSize = 44
    /// Lengths in RIFF have 32 bits.
    private static let sizeLimit = Int(UInt32.max) - headerSize

    private let path: String
    private let file: UnsafeMutablePointer<FILE>
    private let rate: Int
    private let channels: Int
    /// Bytes of samples written.
    package private(set) var size = 0

    /// An existing file is replaced. The rate is in samples per second and channel; channels are interleaved.
    ///
    /// - Throws: If the file cannot be written.
    package init(creating path: String, rate: Int, channels: Int) throws(SystemError) {
        guard let file = fopen(path, "we") else { throw SystemError("create \(path)") }
        // What a full disk has no room for would stay in a buffer, and keep fseek from reaching the header.
        // Fails for another mode only.
        _ = setvbuf(file, nil, _IONBF, 0)
        self.path = path
        self.file = file
        self.rate = rate
        self.channels = channels
        try writeHeader()
    }

    /// The duration of the samples written.
    package var duration: Duration {
        .seconds(Double(size) / Double(rate * channels * 2))
    }

    /// - Parameter samples: Whole samples, of all channels.
    /// - Throws: If they cannot be written, or the file would exceed what RIFF can represent.
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

    /// The beginning of a file: the ``headerSize`` bytes before `size` bytes of samples.
    package static func header(rate: Int, channels: Int, size: Int) -> [UInt8] {
        let frame = channels * 2
        var header = Array("RIFF".utf8) + number(36 + size, bytes: 4) + Array("WAVEfmt ".utf8)
        header += number(16, bytes: 4) + number(1, bytes: 2) + number(channels, bytes: 2)
        header += number(rate, bytes: 4) + number(rate * frame, bytes: 4)
        header += number(frame, bytes: 2) + number(16, bytes: 2)
        return header + Array("data".utf8) + number(size, bytes: 4)
    }

    private func writeHeader() throws(SystemError) {
        try write(Self.header(rate: rate, channels: channels, size: size))
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemError("write \(path)") }
    }

    private static func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

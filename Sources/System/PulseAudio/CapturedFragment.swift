/// The part of a fragment that a capture stream delivers.
enum CapturedFragment {
    /// - Parameters:
    ///   - data: Nil for a hole in the server's record.
    ///   - range: Of its bytes.
    ///   - end: What comes before is replaced by silence.
    /// - Returns: A copy.
    static func silenced(_ data: UnsafeRawPointer?, _ range: Range<Int>, until end: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        guard let data else { return bytes }
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[(end - range.lowerBound)...])
                .copyMemory(from: UnsafeRawBufferPointer(start: data + end, count: range.upperBound - end))
        }
        return bytes
    }

    /// Returns true if it has a sample that is not 0.
    static func hasSound(_ data: UnsafeRawPointer?, _ range: Range<Int>) -> Bool {
        guard let data else { return false }
        return UnsafeRawBufferPointer(start: data + range.lowerBound, count: range.count).contains { $0 != 0 }
    }
}

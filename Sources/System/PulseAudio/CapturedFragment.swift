/// What a capture stream delivers of a fragment.
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
}

extension AudioDevices {
    /// The source that a stream captures from, once it is open.
    ///
    /// - Parameters:
    ///   - index: The server's index of the source.
    ///   - request: That of the stream.
    /// - Returns: The source.
    /// - Throws: If it may not be captured from: it has gone, delivers what this program plays, or is no microphone.
    func captured(_ index: UInt32, for request: StreamRequest) throws(AudioError) -> AudioDevice {
        guard let source = sources.first(where: { $0.index == index }) else {
            let action = StreamHandle.action(.capture, request.device)
            throw AudioError(action, reason: "it has gone", kind: .noDevice)
        }
        guard !isOwnSound(source) else {
            let reason = "“\(source.name)” delivers what this program plays"
            throw AudioError(
                StreamHandle.action(.capture, request.device),
                reason: reason,
                kind: .noDevice
            )
        }
        let names = request.preferences + [request.device].compactMap(\.self)
        guard names.contains(source.name) || names.contains(source.description) || isMicrophone(source) else {
            let reason = "the audio server offered “\(source.name)”, which is not a microphone"
            throw AudioError(StreamHandle.action(.capture, nil), reason: reason, kind: .noDevice)
        }
        return source
    }
}

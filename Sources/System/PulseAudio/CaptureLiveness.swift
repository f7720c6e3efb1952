/// Finds when a microphone is live: with its first fragment, or where zeros say nothing, with its first
/// sound.
struct CaptureLiveness {
    enum Answer { case live, notYet, asksForVolume }

    /// The volume that the server reports. New sources and streams of PipeWire have none before WirePlumber
    /// has set it, which looks like 0: only together with zeros it is one.
    private enum Volume {
        case audible
        /// - Parameter zeroCount: The bytes of zeros since the last sound.
        case doubted(zeroCount: Int)
        case asked
        case zero
    }

    /// Zeros are no beginning, because the microphone of a headset is not connected yet.
    var awaitsSound = false
    private var volume = Volume.audible

    /// The longest time for which zeros of a source with the volume 0 may be a coincidence.
    static let zeroLimit = Duration.milliseconds(300)

    /// - Parameter isZero: True if the volume is 0 in the server's newest list.
    /// - Returns: True if it is believed to be 0.
    mutating func listed(isZero: Bool) -> Bool {
        guard isZero else {
            volume = .audible
            return false
        }
        switch volume {
        case .audible: volume = .doubted(zeroCount: 0)
        case .asked: volume = .zero
        case .doubted, .zero: break
        }
        return if case .zero = volume { true } else { false }
    }

    /// - Returns: The state of the microphone with these samples, which have arrived; after
    ///   ``Answer/asksForVolume`` the sources are to be listed.
    mutating func received(_ bytes: ArraySlice<UInt8>, _ format: SampleSpec) -> Answer {
        switch volume {
        case .audible, .zero: if !awaitsSound { return .live }
        case .doubted, .asked: break
        }
        if bytes.contains(where: { $0 != 0 }) {
            awaitsSound = false
            if case .doubted = volume { volume = .doubted(zeroCount: 0) }
            return .live
        }
        guard !awaitsSound, case .doubted(let before) = volume else { return .notYet }
        let zeroCount = before + bytes.count
        let isLong = zeroCount >= format.byteCount(of: Self.zeroLimit)
        volume = isLong ? .asked : .doubted(zeroCount: zeroCount)
        return isLong ? .asksForVolume : .notYet
    }
}

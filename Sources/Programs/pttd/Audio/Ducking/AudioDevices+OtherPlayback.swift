import PulseAudio

extension AudioDevices {
    /// The streams that other programs play, and that may be lowered: not the screen reader of a person who
    /// sees nothing, no call, and no sound that says that something has happened.
    var otherPlayback: [AudioStream] {
        let own = Set(sinks.filter(\.isOwn).map(\.index))
        return sinkInputs.filter { stream in
            !stream.isOwn && !stream.isMarked && stream.client != nil && !own.contains(stream.device)
                && !["a11y", "phone", "event"].contains(stream.role)
                && (stream.restoreID?.utf8.count ?? 0) <= Self.longestName
        }
    }

    /// Programs choose it, and the file of the changes must stay readable.
    private static var longestName: Int { 128 }
}

/// The streams that asked for the source by its name when it was not there. PipeWire gives them another one, and leaves
/// them there when ours is back: after pipewire-pulse has died, an application that connects before this process would
/// record the live microphone for as long as it runs.
struct MisplacedStreams: Sendable {
    /// The streams that have had the source, or that were there before it was adopted: they are elsewhere because a person
    /// has moved them. Nil until the source is complete for the first time on this connection.
    private var settled: Set<UInt32>?
    /// How often each stream was to be moved.
    private var attempts: [UInt32: Int] = [:]
    private static let mostAttempts = 12

    /// The source is loaded: streams that are there already and ask for it have got another one.
    mutating func sourceIsMissing() {
        settled = settled ?? []
    }

    mutating func disconnected() {
        settled = nil
        attempts = [:]
    }

    /// Whether a refused move of a stream is to be ordered again: PipeWire refuses until its session manager is there.
    func isTriedAgain(_ stream: UInt32) -> Bool {
        attempts[stream].map { $0 < Self.mostAttempts } ?? false
    }

    /// Finds what is to be moved to the source.
    ///
    /// - Parameters:
    ///   - requests: All streams that asked for the source by name.
    ///   - source: The server's index of it.
    ///   - others: Those of the other sources. A stream that has none of them is not linked yet, and will get what it asked
    ///     for.
    /// - Returns: The streams to move, until they have the source.
    mutating func next(_ requests: [AudioStream], source: UInt32, others: Set<UInt32>) -> [AudioStream] {
        let before = settled ?? Set(requests.map(\.index))
        settled = Set(requests.filter { $0.device == source || before.contains($0.index) }.map(\.index))
        let misplaced = requests.filter {
            others.contains($0.device) && !before.contains($0.index)
                && attempts[$0.index, default: 0] < Self.mostAttempts
        }
        for stream in misplaced { attempts[stream.index, default: 0] += 1 }
        return misplaced
    }
}

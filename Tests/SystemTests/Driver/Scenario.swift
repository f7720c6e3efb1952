import EventLoop

/// One thing that must be true of the whole system.
@EventLoop
struct Scenario {
    /// The number of the part that it belongs to, for the filter.
    let part: Int
    /// A sentence.
    let name: String
    let body: @EventLoop (Lab) async throws -> Void

    init(_ part: Int, _ name: String, _ body: @escaping @EventLoop (Lab) async throws -> Void) {
        self.part = part
        self.name = name
        self.body = body
    }

    static let all: [Scenario] =
        bluetoothButtons + sleepingButtons + radioFaults + programFaults + soundFaults + levels
        + wiredHeadsets
        + autoStart + timeLimit + protection + waking + newLogin + fileFaults
        + hostileSignals + seat + standingStill

    /// Whether one of the words is the number of the part, or, where it is no number, is in the name.
    func fits(_ words: [String]) -> Bool {
        words.isEmpty || words.contains { word in Int(word).map { $0 == part } ?? name.contains(word) }
    }
}

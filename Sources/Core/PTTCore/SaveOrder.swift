package import PTTMessages

/// Puts what the machine orders in order with the saving of its state, which takes as long as a disk takes.
///
/// What tells anybody of a change waits until the change is saved: answers, published events, the start of an
/// application, and the opening of streams, in the order in which they were ordered. What closes a stream, and the
/// timer, never waits; an opening that still waits is taken back by its closing.
///
/// At most one write is under way, always of the newest state. One that fails or takes too long lets everything go on:
/// the state is kept in memory that outlives this process instead, if not the machine, and is tried again. Until
/// then nothing waits any more.
package struct SaveOrder: Equatable, Sendable {
    /// What to do, in this order.
    package enum Step: Equatable, Sendable {
        /// - Parameters:
        ///   - at: When it was ordered.
        ///   - for: The process whose request brought it about; 0 if none did.
        case perform(TalkSession.Effect, at: MonotonicTime, for: Int32 = 0)
        /// Write what the saves performed so far add up to, away from the loop. Answer with ``SaveOrder/written()``
        /// or ``SaveOrder/notWritten(_:)``, and tell ``SaveOrder/overdue(_:)`` if that takes too long.
        case write
        /// Keep the newest state where it outlives this process, in this turn of the loop.
        case keepAside
        /// All that was ever ordered is on disk again. What was kept aside is of no use any more.
        case recovered
        /// - Parameter reason: For people.
        case failed(reason: String)
        /// Tell ``SaveOrder/retry()`` after a while.
        case retryLater
    }

    private struct Waiting: Equatable, Sendable {
        let effect: TalkSession.Effect
        let time: MonotonicTime
        let processID: Int32
        /// The save that it waits for.
        let save: Int
    }

    /// How much may wait: many times what happens while a disk writes. With more than that the write counts as overdue.
    package static let waitingLimit = 4096

    /// Saves are numbered as they are ordered, those of one turn together.
    private var ordered = 0
    /// The newest one whose end, or failure, has let go what waited for it.
    private var ended = 0
    /// The one that is being written.
    private var writing: Int?
    private var isFailing = false
    private var waiting: [Waiting] = []

    package init() {}

    /// Whether somebody is yet to be told of what has happened.
    package var isHolding: Bool { !waiting.isEmpty }

    /// Whether nothing is left to be done for the state to outlive this process.
    package var isSettled: Bool { waiting.isEmpty && (writing == nil || isFailing) }

    // MARK: What happens

    /// The machine has ordered what follows from one event, which the request of a process may have been.
    package mutating func order(
        _ effects: [TalkSession.Effect],
        at now: MonotonicTime,
        for processID: Int32 = 0
    ) -> [Step] {
        var steps: [Step] = []
        var isSaveOrdered = false
        for effect in effects {
            switch effect {
            case .closeCapture, .closePlayback, .stopFrames:
                if !takeBack(effect) { steps.append(.perform(effect, at: now, for: processID)) }
            case .setTimer, .cancelTimer:
                steps.append(.perform(effect, at: now, for: processID))
            case .saveChannel, .saveDescriptor:
                isSaveOrdered = true
                steps.append(.perform(effect, at: now, for: processID))
            case .reply, .publish, .notify, .startApplication, .log, .openCapture, .openPlayback,
                .deliverFrames:
                if isSaveOrdered { steps += saveNewest() }
                isSaveOrdered = false
                if waiting.isEmpty, ordered <= ended {
                    steps.append(.perform(effect, at: now, for: processID))
                } else {
                    waiting.append(
                        Waiting(effect: effect, time: now, processID: processID, save: ordered)
                    )
                }
            }
        }
        if isSaveOrdered { steps += saveNewest() }
        guard waiting.count > Self.waitingLimit else { return steps }
        return steps + overdue("more happens than can be written")
    }

    /// An earlier run of the core had to keep its state aside; what is on disk is older.
    package mutating func foundAside() -> [Step] {
        ordered += 1
        ended = ordered
        isFailing = true
        writing = ordered
        return [.write]
    }

    /// What was being written is on disk.
    package mutating func written() -> [Step] {
        guard let number = writing else { return [] }
        writing = nil
        guard number == ordered else {
            let steps = isFailing ? [] : letGo(upTo: number)
            writing = ordered
            return steps + [.write]
        }
        let recovered: [Step] = isFailing ? [.recovered] : []
        isFailing = false
        return recovered + letGo(upTo: number)
    }

    /// What was being written is not on disk. The reason is for people: what failed, on what.
    package mutating func notWritten(_ reason: String) -> [Step] {
        guard writing != nil else { return [] }
        writing = nil
        return fail(reason) + [.retryLater]
    }

    /// The end of what is being written does not come. The reason is for people.
    package mutating func overdue(_ reason: String) -> [Step] {
        guard writing != nil, !isFailing else { return [] }
        return fail(reason)
    }

    /// It is time to try again.
    package mutating func retry() -> [Step] {
        guard isFailing, writing == nil else { return [] }
        writing = ordered
        return [.write]
    }

    // MARK: What follows

    private mutating func saveNewest() -> [Step] {
        ordered += 1
        var steps: [Step] = []
        if isFailing {
            ended = ordered
            steps.append(.keepAside)
        }
        if writing == nil {
            writing = ordered
            steps.append(.write)
        }
        return steps
    }

    private mutating func fail(_ reason: String) -> [Step] {
        let steps: [Step] = isFailing ? [.failed(reason: reason)] : [.keepAside, .failed(reason: reason)]
        isFailing = true
        return steps + letGo(upTo: ordered)
    }

    private mutating func letGo(upTo save: Int) -> [Step] {
        ended = max(ended, save)
        let count = waiting.firstIndex { $0.save > ended } ?? waiting.count
        guard count > 0 else { return [] }
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map { .perform($0.effect, at: $0.time, for: $0.processID) }
    }

    /// - Returns: Whether what `closing` closes had only been waiting to be opened.
    private mutating func takeBack(_ closing: TalkSession.Effect) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.effect.counterpart == closing }) else {
            return false
        }
        waiting.remove(at: index)
        return true
    }
}

extension TalkSession.Effect {
    /// What closes what this opens.
    fileprivate var counterpart: Self? {
        switch self {
        case .openCapture(let captureID, _): .closeCapture(captureID)
        case .openPlayback(let playbackID, _, from: _): .closePlayback(playbackID)
        case .deliverFrames(let captureID, to: _): .stopFrames(captureID)
        case .closeCapture, .closePlayback, .stopFrames, .setTimer, .cancelTimer, .saveChannel,
            .saveDescriptor, .reply, .publish, .notify, .startApplication, .log:
            nil
        }
    }
}

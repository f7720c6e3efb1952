package import PTTMessages

/// Orders the effects of the machine relative to the saving of its state, which takes as long as the disk takes.
///
/// Effects that reveal a change wait until the change is saved: replies, published events, the start of an application,
/// and the opening of streams, in the order in which they were ordered. The closing of a stream, the timer, a tone and
/// the volume never wait; a closing cancels an opening that still waits.
///
/// At most one write is in progress, always of the newest state. One that fails or takes too long releases the waiting
/// effects: the state is kept aside instead, in memory that outlives this process but not a reboot, and the write is
/// retried. Until it succeeds nothing waits any more.
package struct SaveOrder: Equatable, Sendable {
    /// What to do, in this order.
    package enum Step: Equatable, Sendable {
        /// - Parameters:
        ///   - at: When it was ordered.
        ///   - for: The process whose request caused it; 0 if none did.
        case perform(TalkSession.Effect, at: MonotonicTime, for: Int32 = 0)
        /// Write the state that the performed saves have led to, off the event loop. Answer with ``SaveOrder/written()``
        /// or ``SaveOrder/notWritten(_:)``, and call ``SaveOrder/overdue(_:)`` if that takes too long.
        case write
        /// Keep the newest state where it outlives this process, in this turn of the event loop.
        case keepAside
        /// Everything that was ordered is on disk again. What was kept aside is obsolete.
        case recovered
        /// - Parameter reason: For people.
        case failed(reason: String)
        /// Call ``SaveOrder/retry()`` after a while.
        case retryLater
    }

    private struct Waiting: Equatable, Sendable {
        let effect: TalkSession.Effect
        let time: MonotonicTime
        let processID: Int32
        /// The number of the save that it waits for.
        let save: Int
    }

    /// How many effects may wait: many times those of one write. Beyond it the write counts as overdue.
    package static let waitingLimit = 4096

    /// Saves are numbered as they are ordered, one number for all saves of one event.
    private var ordered = 0
    /// The newest save that has ended or failed, and for which nothing waits any more.
    private var ended = 0
    /// The save that is being written.
    private var writing: Int?
    private var isFailing = false
    private var waiting: [Waiting] = []

    package init() {}

    /// Whether effects wait for a save.
    package var isHolding: Bool { !waiting.isEmpty }

    /// Whether the newest state outlives this process, and no effect waits.
    package var isSettled: Bool { waiting.isEmpty && (writing == nil || isFailing) }

    // MARK: Events

    /// The machine has returned the effects of one event, which a request of the process may have been.
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
                if !cancelOpening(effect) { steps.append(.perform(effect, at: now, for: processID)) }
            case .setTimer, .cancelTimer, .setVolume, .playTone:
                steps.append(.perform(effect, at: now, for: processID))
            case .saveChannel, .saveDescriptor, .saveVolume:
                isSaveOrdered = true
                steps.append(.perform(effect, at: now, for: processID))
            case .reply, .publish, .notify, .startApplication, .log, .openCapture, .openPlayback,
                .deliverFrames, .playTalkPermit:
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
        return steps + overdue("events arrive faster than they can be written")
    }

    /// An earlier run of the core has kept its state aside; what is on disk is older.
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
            let steps = isFailing ? [] : release(upTo: number)
            writing = ordered
            return steps + [.write]
        }
        let recovered: [Step] = isFailing ? [.recovered] : []
        isFailing = false
        return recovered + release(upTo: number)
    }

    /// What was being written is not on disk. The reason is for people: what failed, on which file.
    package mutating func notWritten(_ reason: String) -> [Step] {
        guard writing != nil else { return [] }
        writing = nil
        return fail(reason) + [.retryLater]
    }

    /// The write takes too long. The reason is for people.
    package mutating func overdue(_ reason: String) -> [Step] {
        guard writing != nil, !isFailing else { return [] }
        return fail(reason)
    }

    /// It is time to retry.
    package mutating func retry() -> [Step] {
        guard isFailing, writing == nil else { return [] }
        writing = ordered
        return [.write]
    }

    // MARK: Steps

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
        return steps + release(upTo: ordered)
    }

    private mutating func release(upTo save: Int) -> [Step] {
        ended = max(ended, save)
        let count = waiting.firstIndex { $0.save > ended } ?? waiting.count
        guard count > 0 else { return [] }
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map { .perform($0.effect, at: $0.time, for: $0.processID) }
    }

    /// - Returns: Whether the stream that `closing` closes was still waiting to be opened.
    private mutating func cancelOpening(_ closing: TalkSession.Effect) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.effect.closing == closing }) else {
            return false
        }
        waiting.remove(at: index)
        return true
    }
}

extension TalkSession.Effect {
    /// The effect that closes the stream which this one opens.
    fileprivate var closing: Self? {
        switch self {
        case .openCapture(let captureID, _): .closeCapture(captureID)
        case .openPlayback(let playbackID, _, from: _): .closePlayback(playbackID)
        case .deliverFrames(let captureID, to: _): .stopFrames(captureID)
        case .closeCapture, .closePlayback, .stopFrames, .setTimer, .cancelTimer, .saveChannel,
            .saveDescriptor, .saveVolume, .reply, .publish, .notify, .startApplication, .log, .setVolume,
            .playTone,
            .playTalkPermit:
            nil
        }
    }
}

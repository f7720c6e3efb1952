package import PTTMessages

/// Asks a person to press the button of an unknown accessory, records what it reports, and finds out how it
/// reports a press. A value: requests to the person and the timer are effects.
package struct Learner {
    package enum Event: Equatable, Sendable {
        /// The accessory is connected, and everything that it may report is being received.
        case ready
        case received(LearningFrame.Content)
        case timerFired
    }

    package enum Effect: Equatable, Sendable {
        case show(LearningRequest)
        case setTimer(MonotonicTime)
        /// The learned input is verified. Nothing follows.
        case finished(LearnedInput, LearningRecording)
        /// Nothing follows.
        case failed(LearningFailure)
    }

    private enum Phase: Equatable {
        case connecting
        /// Before the step with this index.
        case pause(next: Int)
        /// In the step with this index, since the request to press.
        case step(Int, pressAsked: MonotonicTime)
        case ended
    }

    private let transport: InputTransport?
    private var phase = Phase.connecting
    private var recording = LearningRecording()
    private var byteCount = 0
    private var found: LearnedInput?

    /// - Parameter transport: The way in which the input device is attached, for keys.
    package init(transport: InputTransport? = nil) {
        self.transport = transport
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch (event, phase) {
        case (.ready, .ended), (.received, .ended), (.timerFired, .ended): return []
        case (.ready, .connecting):
            // What was received before, while one input after the other was subscribed to, is the state on
            // subscribing.
            recording.began = recording.frames.first?.time ?? now
            phase = .pause(next: 0)
            return [.show(.leaveAlone(LearningPlan.quiet)), .setTimer(now + LearningPlan.quiet)]
        case (.ready, .pause), (.ready, .step): return []
        case (.received(let content), .connecting), (.received(let content), .pause),
            (.received(let content), .step):
            return record(LearningFrame(time: now, content: content))
        case (.timerFired, .connecting): return []
        case (.timerFired, .pause(let next)): return begin(next, at: now)
        case (.timerFired, .step(let index, let pressAsked)): return end(index, since: pressAsked, at: now)
        }
    }

    private mutating func record(_ frame: LearningFrame) -> [Effect] {
        byteCount += frame.byteCount
        guard recording.frames.count < LearningPlan.mostFrames, byteCount <= LearningPlan.mostBytes,
            frame.byteCount <= LearningPlan.longestFrame
        else { return fail(.flood) }
        // Frames of several sources may be delivered out of order.
        let index = recording.frames.lastIndex { $0.time <= frame.time }.map { $0 + 1 } ?? 0
        recording.frames.insert(frame, at: index)
        return []
    }

    private mutating func begin(_ index: Int, at now: MonotonicTime) -> [Effect] {
        recording.ended = now
        if index == LearningPlan.recorded.count {
            do throws(LearningFailure) {
                found = try recording.learned(transport: transport)
            } catch {
                return fail(error)
            }
        }
        guard index < LearningPlan.all.count else { return finish() }
        phase = .step(index, pressAsked: now)
        switch LearningPlan.all[index].task {
        case .hold(let length): return [.show(.press(step: index + 1)), .setTimer(now + length)]
        case .pressTwice:
            return [.show(.pressTwice(step: index + 1)), .setTimer(now + LearningPlan.twoPresses)]
        }
    }

    private mutating func end(_ index: Int, since pressAsked: MonotonicTime, at now: MonotonicTime)
        -> [Effect]
    {
        let entry = LearningPlan.all[index]
        recording.steps.append(
            LearningStep(number: index + 1, task: entry.task, pressAsked: pressAsked, releaseAsked: now)
        )
        phase = .pause(next: index + 1)
        let timer = Effect.setTimer(now + entry.pause)
        switch entry.task {
        case .hold: return [.show(.letGo(step: index + 1)), timer]
        case .pressTwice: return [timer]
        }
    }

    /// The result that was found before must predict the two presses that were asked for last; together they
    /// may show more, such as a heartbeat.
    private mutating func finish() -> [Effect] {
        do throws(LearningFailure) {
            guard let found else { throw .contradiction }
            try found.pattern.check(found.input.presses(in: recording.frames), against: recording.steps)
            let learned = try recording.learned(transport: transport)
            guard learned.pattern == found.pattern else { throw .contradiction }
            phase = .ended
            return [.finished(learned, recording)]
        } catch {
            return fail(.notVerified(error))
        }
    }

    private mutating func fail(_ failure: LearningFailure) -> [Effect] {
        phase = .ended
        return [.failed(failure)]
    }
}

/// A request for what the person is to do now.
package enum LearningRequest: Hashable, Sendable {
    /// Do not touch the button for this time.
    case leaveAlone(Duration)
    case press(step: Int)
    case letGo(step: Int)
    case pressTwice(step: Int)
}

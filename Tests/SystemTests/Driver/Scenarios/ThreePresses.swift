import EventLoop
import PTTMessages

/// Three buttons that are pressed at once: one runs commands, one holds a key, and one records.
@EventLoop
final class ThreePresses {
    /// A cause of their end.
    enum End: CaseIterable {
        case release, link, accessoryd, actions, command, keys, stop, session, core

        /// The buttons are held where nothing but their commands, or their keys, has ended.
        var leavesButtons: Bool { self == .command || self == .keys }
    }

    nonisolated static let buttons = [Button.ffe0, .aina, .nordic]
    /// The time limit of a transmission, a minute, would close a microphone that was forgotten.
    private static let closing = Duration.seconds(30)
    private let keys: KeyReader
    private let own: Seat.Session
    /// Another person's, behind it.
    private let other: Seat.Session
    private let fixture: GuestFixture
    /// A press without an action would be heard by it.
    private var application: Application
    /// How many recordings a command has received.
    private var recordings = 0
    /// The longest time from the end of a press until no microphone was seen.
    private var slowest = Duration.zero
    /// The first event of the core that is looked at.
    private let mark: Int

    init(_ own: Seat.Session, _ other: Seat.Session, _ fixture: GuestFixture) async throws {
        (self.own, self.other, self.fixture) = (own, other, fixture)
        keys = try KeyReader()
        application = try await fixture.application()
        mark = fixture.core.events.count
    }

    /// All are down before something ends them.
    func end(by end: End) async throws {
        for button in Self.buttons { try await fixture.ready(button) }
        // After an end of ptt-keys the key's device is there again a moment later.
        try await eventually("\(end): the key is pressed and released") {
            let seen = keys.releases
            try await ButtonSimulator.press(.aina)
            _ = await Conditions.wait(.milliseconds(300)) { [keys] in keys.isDown }
            try await ButtonSimulator.release(.aina)
            return await Conditions.wait(.seconds(2)) { [keys] in keys.releases > seen && !keys.isDown }
        }
        try await ActionsFile.forget()
        for button in Self.buttons { try await ButtonSimulator.press(button) }
        try await ActionsFile.has("press", during: "\(end)")
        try await until("\(end): the key is down") { [keys] in keys.isDown }
        try await records(during: "\(end)")
        try await perform(end)
        if end.leavesButtons { try await isNoEnd(end) }
        try await until("\(end): the key is released") { [keys] in !keys.isDown }
        try await microphoneCloses(during: "\(end)")
        try await ActionsFile.has("press", "release", during: "\(end)")
        try await received(end == .actions ? 0 : 1, during: "\(end)")
        try await restore(after: end)
    }

    /// Until it has recorded something, which comes after the talk permit tone.
    private func records(during step: String) async throws {
        try await until("\(step): it records") { [fixture] in
            fixture.core.status?.transmission?.recording != nil
        }
        try await eventually("\(step): the microphone is open") { try await Machine.coreRecords() }
        try await never("\(step): the recording ends by itself", for: .seconds(2)) { [fixture] in
            fixture.core.status?.transmission?.recording == nil
        }
    }

    /// The recording goes on until the release.
    private func isNoEnd(_ end: End) async throws {
        guard try await Machine.coreRecords() else { throw Failure("\(end): the microphone is closed") }
        try await releaseAll()
    }

    private func microphoneCloses(during step: String) async throws {
        let start = MonotonicInstant.now
        do { try await Machine.nothingRecords(within: Self.closing) } catch {
            throw Failure("\(step): \(error)")
        }
        slowest = max(slowest, MonotonicInstant.now - start)
    }

    /// The command has received as many more recordings as it should: each press that has recorded something
    /// is one, unless ptt-actions has died with it.
    ///
    /// - Parameters:
    ///   - expected: Nil for a press that may have been too short to record something.
    ///   - step: For people.
    /// - Throws: ``Failure`` if there are less, or more.
    private func received(_ expected: Int?, during step: String) async throws {
        let before = recordings
        let end = MonotonicInstant.now + (expected == nil ? .seconds(3) : standardLimit)
        repeat {
            recordings = try await ReceivedRecordings.count()
            guard recordings - before <= expected ?? 1 else {
                throw Failure("\(step): \(recordings - before) recordings were received")
            }
            if recordings - before == expected ?? 1 { return }
            _ = await Conditions.wait(.milliseconds(200)) { false }
        } while MonotonicInstant.now < end
        guard expected == nil else { throw Failure("\(step): no recording was received") }
    }

    /// Presses that end a moment later, while their commands start, run, or end.
    func endAtRandom(times: Int) async throws {
        try await ActionsFile.forget()
        let before = (recordings, keys.presses)
        var ends: [End: Int] = [:]
        for number in 0..<times {
            let end = End.allCases.randomElement() ?? .release
            try await endAtRandom(by: end, number)
            ends[end, default: 0] += 1
        }
        // What was still on its way at the last look.
        try await areReleased(during: "the end")
        try await received(0, during: "the end")
        let counts = (
            try await ActionsFile.invocations(of: "release").count, keys.presses - before.1,
            recordings - before.0
        )
        let text =
            "\(counts.0) presses ran commands, \(counts.1) held the key, \(counts.2) recorded; "
            + "no microphone was seen after \(slowest): "
            + ends.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        guard [counts.0, counts.1, counts.2].allSatisfy({ 3 * $0 >= times }) else {
            throw Failure("of \(times) presses too few did something: \(text)")
        }
        if times > 0 { print(text) }
    }

    private func endAtRandom(by end: End, _ number: Int) async throws {
        let delay = Duration.milliseconds(.random(in: 0...1000))
        let isLong = Int.random(in: 0..<4) == 0
        let step = "death \(number), \(end) after \(delay)\(isLong ? " of a recording" : "")"
        for button in Self.buttons { try await fixture.ready(button) }
        for button in Self.buttons.shuffled() { try await ButtonSimulator.press(button) }
        if isLong { try await records(during: step) }
        _ = await Conditions.wait(delay) { false }
        try await perform(end)
        if !end.leavesButtons { try await microphoneCloses(during: step) }
        try await releaseAll()
        try await areReleased(during: step)
        try await received(end == .actions ? 0 : isLong ? 1 : nil, during: step)
        try await restore(after: end)
    }

    /// Nothing is held, and each press was released once.
    private func areReleased(during step: String) async throws {
        try await microphoneCloses(during: step)
        try await eventually("\(step): all is released") {
            let releases = try await ActionsFile.invocations(of: "release")
            guard Set(releases).count == releases.count else {
                throw Failure("\(step): a press was released twice: \(releases)")
            }
            let presses = try await ActionsFile.invocations(of: "press")
            let units = try await Machine.systemctl(
                "list-units",
                "--quiet",
                "ptt-action-*",
                "ptt-recording-*"
            )
            return Set(presses).isSubset(of: releases) && units.isEmpty && !keys.isDown
        }
    }

    private func perform(_ end: End) async throws {
        switch end {
        case .release: try await releaseAll()
        case .link:
            for button in Self.buttons { try await ButtonSimulator.perform("disconnect", on: button) }
        case .accessoryd: try await Machine.kill("ptt-accessoryd")
        case .actions: try await Machine.kill("ptt-actions")
        // That of the press; it may have ended already.
        case .command:
            let kill = ["systemctl", "--user", "kill", "-s", "KILL", "--kill-whom=main", "ptt-action-*"]
            _ = try await Command.run(kill)
        case .keys: try await Machine.root("systemctl kill -s KILL 'ptt-keys@*'")
        case .stop: try await Machine.systemctl("stop", "ptt-actions.service")
        case .session: try await other.activate()
        case .core: try await Machine.kill("pttd")
        }
    }

    private func releaseAll() async throws {
        for button in Self.buttons { try await ButtonSimulator.release(button) }
    }

    private func restore(after end: End) async throws {
        try await releaseAll()
        if end == .session { try await own.activate() }
        guard end == .core else { return }
        try areNotHeard()
        application = try await fixture.application()
    }

    /// No press has transmitted, and the channel has received nothing. Leaves the channel without an
    /// application.
    func areNotHeard() throws {
        application.close()
        let heard = fixture.core.events.dropFirst(mark).contains {
            if case .transmissionBegan(let transmission) = $0 { transmission.recording == nil } else { false }
        }
        guard !heard, application.packets == 0 else {
            throw Failure("a press with an action is heard: \(application.packets) packets")
        }
    }
}

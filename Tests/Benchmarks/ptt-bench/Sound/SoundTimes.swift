import EventLoop
import PTTMessages
import TestSupport

/// From a press to the first frame, to the first sample in a recorder of the Push-to-Talk Microphone and to
/// the tone, each beside a client in C that does the same with libpulse alone, on both servers.
@EventLoop
struct SoundTimes {
    private static let samples = 30
    private static let warmUp = 3
    /// Of a recorder, in milliseconds: that of WebRTC.
    static let fragment = 10
    /// Of the frames of an application, in milliseconds.
    private static let frame = 20
    /// The microphone has been closed before, and the server has ended what it did for it.
    private static let rest = Duration.milliseconds(100)

    private let sound: SoundServer
    private let stack: StackFixture

    static func measure(
        _ program: SoundServerProgram,
        on stack: StackFixture,
        _ table: inout Table
    ) async throws {
        let sound = try await SoundServer.start(program, on: stack)
        let times = SoundTimes(sound: sound, stack: stack)
        try await times.measureWithoutGate(&table)
        try await times.measureWithGate(&table)
        sound.end()
    }

    private func measureWithoutGate(_ table: inout Table) async throws {
        let name = sound.program.rawValue
        let quiet = SoundStack.withoutGate
        let running = try await SoundStack.start(
            "\(name)-without-gate",
            sound,
            configuration: quiet,
            on: stack
        )
        table.printSection("\(name): a press from rest, the virtual source and the tones present")
        try await measureRecorder(running, "to the first sample from the virtual source", limit: 1.1, &table)
        try await measureCopy(running, &table)
        try await SoundDelay.measure(running, &table)
        try await measureApplication(running, &table)
        running.end()
    }

    private func measureWithGate(_ table: inout Table) async throws {
        let name = "\(sound.program.rawValue)-with-gate"
        let usual = SoundStack.withGate
        let running = try await SoundStack.start(name, sound, configuration: usual, on: stack)
        try await measureRecorder(running, "access time: tone in, tone out, behind the talk permit", &table)
        running.end()
    }

    /// The sound is a tone, so that this is also the access time by the method of tone in, tone out.
    private func measureRecorder(
        _ running: SoundStack,
        _ what: String,
        limit: Double? = nil,
        _ table: inout Table
    ) async throws {
        let fragment = "\(Self.fragment)"
        let recorder = try await running.recorder(fragment: Self.fragment)
        let client = try await running.client(.captureSound, SoundServer.microphone, fragment)
        let (ours, theirs) = try await inTurn {
            try await running.buttons.transmit { start in
                let time = try await recorder.next("sound", after: start)
                return time - start
            }
        } beside: {
            let start = try client.press()
            return try await client.next("captured", after: start) - start
        }
        for client in [recorder, client] { client.end() }
        try await running.until { if case .idle = $0 { true } else { false } }
        let ratio = limit.map { Table.Limit.ratio($0) } ?? .none
        print(what, ours, beside: theirs, named: "C client", limit: ratio, &table)
    }

    /// The same by way of the server's own devices: the part of the delay that is not ours.
    private func measureCopy(_ running: SoundStack, _ table: inout Table) async throws {
        try sound.makeOtherSource()
        let fragment = "\(Self.fragment)"
        let recorder = try await running.recorder(fragment: Self.fragment)
        let other = try await running.unpressedClient(.listen, SoundServer.otherSource, fragment)
        let client = try await running.client(.copy, SoundServer.microphone, SoundServer.otherSink)
        try await stop(client)
        let (ours, theirs) = try await inTurn {
            try await running.buttons.transmit { try await recorder.next("sound", after: $0) - $0 }
        } beside: {
            let start = try client.press()
            do {
                let time = try await other.next("sound", after: start)
                try await stop(client)
                return time - start
            } catch {
                try await stop(client)
                throw error
            }
        }
        for client in [recorder, other, client] { client.end() }
        try await running.until { if case .idle = $0 { true } else { false } }
        let what = "to the first sample from the virtual source"
        print(what, ours, beside: theirs, named: "C client that copies", limit: .ratio(1.1), &table)
    }

    private func stop(_ client: SoundClient) async throws {
        let start = try client.press()
        _ = try await client.next("stopped", after: start)
    }

    private func measureApplication(_ running: SoundStack, _ table: inout Table) async throws {
        let buttons = running.buttons
        let application = try await SoundApplication.join(buttons)
        let frame = "\(Self.frame)"
        let capture = try await running.client(.capture, SoundServer.microphone, frame)
        let (frames, captured) = try await inTurn {
            try await buttons.transmit { await application.firstFrame() - $0 }
        } beside: {
            let start = try capture.press()
            return try await capture.next("captured", after: start) - start
        }
        capture.end()
        let named = "to the first frame in an application"
        print(named, frames, beside: captured, named: "C client", limit: .ratio(1.1), &table)
        let speaker = try await running.unpressedClient(.listen, SoundServer.monitor, "5")
        for (source, name) in [
            (SoundServer.microphone, "to the talk permit tone"), ("", "to the talk permit tone"),
        ] {
            let start = MonotonicInstant.now
            let player = try await running.client(.play, source, frame)
            // It has played once.
            _ = try await speaker.next("silence", after: start)
            let (ours, theirs) = try await inTurn {
                try await buttons.transmit { start in
                    let time = try await speaker.next("sound", after: start)
                    _ = try await speaker.next("silence", after: time)
                    return time - start
                }
            } beside: {
                let start = try player.press()
                let time = try await speaker.next("sound", after: start)
                _ = try await speaker.next("silence", after: time)
                return time - start
            }
            player.end()
            let other = source.isEmpty ? "C, no microphone" : "C client"
            print(
                name,
                ours,
                beside: theirs,
                named: other,
                limit: source.isEmpty ? .none : .ratio(1.2),
                &table
            )
        }
        speaker.end()
        try await application.leave()
    }

    /// In turn, so that other load of the machine hits both alike.
    private func inTurn(
        _ press: () async throws -> Duration,
        beside other: () async throws -> Duration
    ) async throws -> (Samples, Samples) {
        var (ours, theirs) = (Samples(), Samples())
        for number in 0..<Self.warmUp + Self.samples {
            await pause(Self.rest)
            let theirTime = try await time(other)
            await pause(Self.rest)
            let ourTime = try await time(press)
            guard number >= Self.warmUp, let ourTime, let theirTime else { continue }
            ours.add(ourTime)
            theirs.add(theirTime)
        }
        guard ours.times.count > Self.samples / 2 else { throw Unmeasurable("no sound arrived") }
        return (ours, theirs)
    }

    /// - Returns: Nil if no sound arrived.
    private func time(_ press: () async throws -> Duration) async throws -> Duration? {
        do {
            return try await press()
        } catch is NoSound {
            return nil
        }
    }

    private func print(
        _ what: String,
        _ ours: Samples,
        beside theirs: Samples,
        named name: String,
        limit: Table.Limit,
        _ table: inout Table
    ) {
        table.printTimes(what, ours, in: .milliseconds, named: name, beside: theirs, limit: limit)
    }
}

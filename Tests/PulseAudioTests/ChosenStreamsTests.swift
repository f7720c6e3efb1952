import Testing

@testable import PulseAudio

/// The source is 32, the monitor of its feed 31, the microphone 1.
@Suite struct ChosenStreamsTests {
    private typealias Move = ChosenStreams.Move
    private var chosen = ChosenStreams()

    private func devices(
        isPipeWire: Bool = false,
        isDefault: Bool = false,
        others: Set<UInt32> = [1, 31],
        hasLinks: Bool = true
    ) -> ChosenStreams.Devices {
        .init(
            source: 32,
            monitor: 31,
            defaultSource: isDefault ? 32 : 1,
            others: others,
            hasLinks: hasLinks,
            name: "ptt_mic",
            isPipeWire: isPipeWire
        )
    }

    private func stream(_ index: UInt32, on device: UInt32, named: Bool = false) -> AudioStream {
        var stream = AudioStream(device: device)
        stream.index = index
        stream.requestedDevice = named ? "ptt_mic" : nil
        return stream
    }

    private func move(_ stream: AudioStream, to sources: [UInt32], isReturn: Bool = false) -> Move {
        Move(stream: stream, sources: sources, isReturn: isReturn)
    }

    // MARK: Holding

    @Test(arguments: [false, true])
    mutating func `a stream that has the source is held once, by way of the feed where the server needs it`(
        isPipeWire: Bool
    ) {
        let stream = stream(41, on: 32)
        let here = devices(isPipeWire: isPipeWire)
        #expect(chosen.next([stream], here) == [move(stream, to: isPipeWire ? [32] : [31, 32])])
        #expect(chosen.next([stream], here) == [])
    }

    @Test(arguments: [false, true])
    mutating func
        `a stream that begins while the source is the default one is held at the monitor until it is not`(
            isPipeWire: Bool
        )
    {
        let stream = stream(41, on: 32, named: true)
        let here = devices(isPipeWire: isPipeWire, isDefault: true)
        #expect(chosen.next([stream], here) == [move(stream, to: [31])])
        let parked = self.stream(41, on: 31, named: true)
        #expect(chosen.next([parked], here) == [])
        #expect(chosen.next([parked], devices(isPipeWire: isPipeWire)) == [move(parked, to: [32])])
    }

    @Test mutating func `a stream that has asked for no device follows the default source on PipeWire`() {
        let here = devices(isPipeWire: true, isDefault: true)
        #expect(chosen.next([stream(41, on: 32)], here) == [])
        #expect(chosen.next([stream(41, on: 1)], devices(isPipeWire: true)) == [])
        #expect(chosen.next([stream(41, on: 32)], here) == [])
    }

    @Test mutating func `a stream that the server moves to the source follows the default source`() {
        #expect(chosen.next([stream(41, on: 1)], devices()) == [])
        // Its microphone was unplugged, and is plugged in again.
        let unplugged = devices(isDefault: true, others: [31])
        #expect(chosen.next([stream(41, on: 32)], unplugged) == [])
        #expect(chosen.next([stream(41, on: 1)], devices()) == [])
        // The source had been the default one before.
        #expect(chosen.next([stream(41, on: 1)], devices(isDefault: true)) == [])
        #expect(chosen.next([stream(41, on: 32)], unplugged) == [])
    }

    @Test(arguments: [1, 2])
    mutating func `a stream that had the former default source follows, also if PipeWire moves it later`(
        device: UInt32
    ) {
        let microphones: Set<UInt32> = [1, 2, 31]
        func devices(isDefault: Bool) -> ChosenStreams.Devices {
            self.devices(isPipeWire: true, isDefault: isDefault, others: microphones)
        }
        let away = stream(41, on: device, named: true)
        #expect(chosen.next([away], devices(isDefault: false)) == [])
        #expect(chosen.next([away], devices(isDefault: true)) == [])
        #expect(chosen.next([away], devices(isDefault: true)) == [])
        let here = stream(41, on: 32, named: true)
        let hold = [move(here, to: [31])]
        #expect(chosen.next([here], devices(isDefault: true)) == (device == 1 ? [] : hold))
    }

    /// The default source is listed a moment before the streams.
    @Test mutating func `a stream whose microphone has gone follows, also if another is the default by then`()
    {
        #expect(chosen.next([stream(41, on: 1)], devices(others: [1, 2, 31])) == [])
        #expect(chosen.next([stream(41, on: 32)], devices(others: [2, 31])) == [])
    }

    @Test mutating func `a stream that has asked for the source is held also if its microphone has gone`() {
        let asking = stream(41, on: 1, named: true)
        #expect(chosen.next([asking], devices(isPipeWire: true, others: [1, 2, 31])) == [])
        let here = stream(41, on: 32, named: true)
        #expect(chosen.next([here], devices(isPipeWire: true, others: [2, 31])) == [move(here, to: [32])])
    }

    @Test(arguments: [false, true])
    mutating func `a stream is held again if its source was the default one when it was held`(
        isPipeWire: Bool
    ) {
        let stream = stream(41, on: 32, named: true)
        #expect(!chosen.next([stream], devices(isPipeWire: isPipeWire)).isEmpty)
        let isDefault = devices(isPipeWire: isPipeWire, isDefault: true)
        #expect(chosen.next([stream], isDefault) == [move(stream, to: [31])])
        let parked = self.stream(41, on: 31, named: true)
        #expect(chosen.next([parked], isDefault) == [])
    }

    @Test(arguments: [false, true])
    mutating func `a stream that the server moves away while it is being held is moved back`(isPipeWire: Bool)
    {
        let here = devices(isPipeWire: isPipeWire)
        #expect(!chosen.next([stream(41, on: 32, named: true)], here).isEmpty)
        let away = stream(41, on: 1, named: true)
        #expect(chosen.next([away], here) == [move(away, to: [32], isReturn: true)])
    }

    @Test mutating func `a stream that a person moves to the source is held`() {
        #expect(chosen.next([stream(41, on: 1)], devices()) == [])
        let moved = stream(41, on: 32)
        #expect(chosen.next([moved], devices()) == [move(moved, to: [31, 32])])
        #expect(chosen.next([moved], devices()) == [])
        #expect(chosen.next([moved], devices(isDefault: true)) == [])
        #expect(chosen.next([stream(41, on: 1)], devices(isDefault: true)) == [])
        #expect(chosen.next([moved], devices(isDefault: true)) == [move(moved, to: [31])])
    }

    // MARK: Returning

    @Test(arguments: [false, true])
    mutating func `a move away is a person's, unless the default source changes at the same time`(
        isChange: Bool
    ) {
        _ = chosen.next([stream(41, on: 32)], devices())
        _ = chosen.next([stream(41, on: 32)], devices(isDefault: isChange))
        let away = stream(41, on: 1)
        #expect(
            chosen.next([away], devices()) == (isChange ? [move(away, to: [32], isReturn: true)] : [])
        )
        // Where a person has moved it, it stays.
        if !isChange {
            chosen.sourceIsMissing()
            #expect(chosen.next([away], devices()) == [])
            _ = chosen.next([away], devices(isDefault: true))
            #expect(chosen.next([away], devices()) == [])
        }
    }

    @Test
    mutating func `a stream that the server moved as the source had gone is moved back, until it has it`() {
        _ = chosen.next([stream(41, on: 32)], devices())
        chosen.sourceIsMissing()
        let away = stream(41, on: 1)
        let back = move(away, to: [32], isReturn: true)
        // PipeWire's session manager may place it later than the order to move it.
        #expect(chosen.next([away], devices()) == [back])
        #expect(chosen.next([away], devices()) == [back])
        let returned = stream(41, on: 32)
        #expect(chosen.next([returned], devices()) == [move(returned, to: [31, 32])])
        #expect(chosen.next([returned], devices()) == [])
        #expect(chosen.next([away], devices()) == [])
    }

    @Test mutating func `a stream that asked for the source before it was there is moved to it`() {
        chosen.sourceIsMissing()
        let here = devices(isPipeWire: true)
        #expect(chosen.next([stream(41, on: .max, named: true)], here) == [])
        let away = stream(41, on: 1, named: true)
        #expect(chosen.next([away], here) == [move(away, to: [32], isReturn: true)])
    }

    @Test mutating func `streams beside a source that is adopted stay where they are`() {
        let here = devices(isPipeWire: true)
        #expect(chosen.next([stream(41, on: 1, named: true)], here) == [])
        #expect(chosen.next([stream(41, on: 1, named: true)], here) == [])
    }

    @Test mutating func `a stream whose links a session manager has taken away is held again`() {
        let here = devices(isPipeWire: true)
        let without = devices(isPipeWire: true, hasLinks: false)
        _ = chosen.next([stream(41, on: 32, named: true)], here)
        #expect(chosen.next([stream(41, on: .max, named: true)], without) == [])
        let back = stream(41, on: 32, named: true)
        #expect(chosen.next([back], here) == [move(back, to: [32])])
        _ = chosen.next([stream(41, on: .max, named: true)], without)
        let away = stream(41, on: 1, named: true)
        #expect(chosen.next([away], here) == [move(away, to: [32], isReturn: true)])
    }

    @Test mutating func `a stream that follows the default source is seen on the way to it`() {
        _ = chosen.next([stream(41, on: 1)], devices(isPipeWire: true))
        let here = devices(isPipeWire: true, isDefault: true)
        #expect(chosen.next([stream(41, on: .max)], here) == [])
        #expect(chosen.next([stream(41, on: 32)], here) == [])
    }

    /// While PipeWire moves a stream it has no source for a moment, and others keep theirs.
    @Test mutating func `a stream that a person moves stays there`() {
        let here = devices(isPipeWire: true)
        for _ in 0..<2 { _ = chosen.next([stream(41, on: 32)], here) }
        #expect(chosen.next([stream(41, on: .max)], here) == [])
        #expect(chosen.next([stream(41, on: 1)], here) == [])
    }

    @Test(arguments: [false, true])
    mutating func
        `after a lost connection streams come back on PipeWire, whose streams outlive pipewire-pulse`(
            isPipeWire: Bool
        )
    {
        _ = chosen.next([stream(41, on: 32)], devices(isPipeWire: isPipeWire))
        chosen.disconnected(isPipeWire: isPipeWire)
        let away = stream(41, on: 1)
        let back = [move(away, to: [32], isReturn: true)]
        #expect(chosen.next([away], devices(isPipeWire: isPipeWire)) == (isPipeWire ? back : []))
    }

    @Test mutating func `another stream with the same index is another one`() {
        _ = chosen.next([stream(41, on: 32)], devices(isPipeWire: true))
        chosen.disconnected(isPipeWire: true)
        var other = stream(41, on: 1)
        other.applicationName = "other"
        #expect(chosen.next([other], devices(isPipeWire: true)) == [])
    }

    @Test mutating func `a refused move is ordered again, but not for ever`() {
        chosen.sourceIsMissing()
        #expect(!chosen.isTriedAgain(41))
        var orders = 0
        let (asking, here) = (stream(41, on: 1, named: true), devices(isPipeWire: true))
        while orders < 100, !chosen.next([asking], here).isEmpty {
            orders += 1
            guard chosen.isTriedAgain(41) else { break }
        }
        #expect(orders == 12)
        #expect(chosen.next([asking], here).isEmpty)
    }
}

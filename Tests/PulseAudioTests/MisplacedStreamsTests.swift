import Testing

@testable import PulseAudio

@Suite struct MisplacedStreamsTests {
    private var misplaced = MisplacedStreams()

    private func stream(_ index: UInt32, on device: UInt32) -> AudioStream {
        var stream = AudioStream(device: device)
        stream.index = index
        return stream
    }

    @Test mutating func `a stream that asked for the source before it was there is moved to it`() {
        misplaced.sourceIsMissing()
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).map(\.index) == [41])
        // PipeWire's session manager may place it later than the order to move it.
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).map(\.index) == [41])
        #expect(
            misplaced.next([stream(41, on: 32), stream(42, on: 1)], source: 32, others: [1]).map(\.index) == [
                42
            ]
        )
    }

    @Test mutating func `a stream that had the source and was moved by a person stays where it is`() {
        misplaced.sourceIsMissing()
        #expect(misplaced.next([stream(41, on: 32)], source: 32, others: [1]).isEmpty)
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty)
        // Also if the source was removed meanwhile.
        misplaced.sourceIsMissing()
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty)
    }

    @Test mutating func `streams beside a source that is adopted stay where they are`() {
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty)
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty)
    }

    @Test mutating func `a stream that is not linked yet is left alone, and moved if it gets another source`()
    {
        misplaced.sourceIsMissing()
        #expect(misplaced.next([stream(41, on: .max)], source: 32, others: [1]).isEmpty)
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).map(\.index) == [41])
    }

    @Test mutating func `a refused move is ordered again, but not for ever`() {
        misplaced.sourceIsMissing()
        #expect(!misplaced.isTriedAgain(41))
        var orders = 0
        while !misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty {
            orders += 1
            guard misplaced.isTriedAgain(41) else { break }
        }
        #expect(orders == 12)
        #expect(misplaced.next([stream(41, on: 1)], source: 32, others: [1]).isEmpty)
    }
}

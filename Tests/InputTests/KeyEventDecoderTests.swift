import EventLoop
import Glibc
import Testing

@testable import Input

@Suite struct KeyEventDecoderTests {
    private typealias Reading = KeyEventDecoder.Reading

    private let now = MonotonicInstant(nanoseconds: 900)

    private func decoder(held: Set<KeyCode> = []) -> KeyEventDecoder {
        KeyEventDecoder(wanted: [.playPause, .nextSong], held: held)
    }

    private func key(_ key: KeyCode, _ value: Int32, at nanoseconds: Int64 = 100) -> Reading {
        .event(
            RawEvent(
                type: 1,
                code: Int32(key.rawValue),
                value: value,
                time: MonotonicInstant(nanoseconds: nanoseconds)
            )
        )
    }

    private var report: Reading { .event(RawEvent(type: 0, code: 0, value: 0, time: now)) }

    /// The key events of a sequence of readings.
    private func events(_ decoder: inout KeyEventDecoder, _ readings: [Reading]) -> [KeyEvent] {
        readings.compactMap { reading in
            guard case .event(.key(let event)) = decoder.handle(reading, at: now) else { return nil }
            return event
        }
    }

    @Test func `press and release have the kernel's time`() {
        var decoder = decoder()
        let seen = events(
            &decoder,
            [key(.playPause, 1, at: 100), report, key(.playPause, 0, at: 200), report]
        )
        #expect(
            seen == [
                KeyEvent(key: .playPause, edge: .pressed, time: MonotonicInstant(nanoseconds: 100)),
                KeyEvent(key: .playPause, edge: .released, time: MonotonicInstant(nanoseconds: 200)),
            ]
        )
    }

    @Test func `autorepeat, scan codes and other keys are ignored`() {
        var decoder = decoder()
        let scanCode = Reading.event(RawEvent(type: 4, code: 4, value: 0xc00cd, time: now))
        let seen = events(
            &decoder,
            [scanCode, key(.playPause, 2), key(.volumeUp, 1), key(.volumeUp, 0), report]
        )
        #expect(seen.isEmpty)
        #expect(decoder.held.isEmpty)
    }

    @Test func `values and codes that no kernel sends are ignored`() {
        var decoder = decoder()
        let seen = events(
            &decoder,
            [
                key(.playPause, -1), key(.playPause, 3),
                .event(RawEvent(type: 1, code: -1, value: 1, time: now)),
                .event(RawEvent(type: 1, code: 70_000, value: 1, time: now)),
            ]
        )
        #expect(seen.isEmpty)
    }

    @Test func `a key that was down when the device was opened is not pressed but can be released`() {
        var decoder = decoder(held: [.playPause])
        #expect(events(&decoder, [key(.playPause, 1)]).isEmpty)
        #expect(events(&decoder, [key(.playPause, 0)]).map(\.edge) == [.released])
        #expect(events(&decoder, [key(.playPause, 1)]).map(\.edge) == [.pressed])
    }

    @Test func `a release that was lost is delivered and marked`() {
        var decoder = decoder()
        let seen = events(
            &decoder,
            [key(.playPause, 1), report, .dropped, key(.playPause, 0), report, .nothing]
        )
        #expect(
            seen == [
                KeyEvent(key: .playPause, edge: .pressed, time: MonotonicInstant(nanoseconds: 100)),
                KeyEvent(key: .playPause, edge: .released, time: now, isResynchronised: true),
            ]
        )
        #expect(decoder.held.isEmpty)
    }

    @Test func `a press that was lost is marked, and its release is a live one`() {
        var decoder = decoder()
        let seen = events(&decoder, [.dropped, key(.nextSong, 1), report, .nothing, key(.nextSong, 0)])
        #expect(seen.map(\.edge) == [.pressed, .released])
        #expect(seen.map(\.isResynchronised) == [true, false])
    }

    @Test func `after lost events the differences are read until there are no more, then live again`() {
        var decoder = decoder()
        #expect(decoder.handle(.dropped, at: now) == .event(.eventsLost))
        #expect(decoder.mode == .differences)
        #expect(decoder.handle(report, at: now) == .readOn)
        #expect(decoder.mode == .differences)
        #expect(decoder.handle(.nothing, at: now) == .readOn)
        #expect(decoder.mode == .live)
        #expect(decoder.handle(.nothing, at: now) == .wait)
    }

    @Test func `events lost again while the differences are read start over`() {
        var decoder = decoder()
        let seen = events(
            &decoder,
            [.dropped, key(.playPause, 1), .dropped, key(.playPause, 0), .nothing, key(.playPause, 1)]
        )
        #expect(seen.map(\.edge) == [.pressed, .released, .pressed])
        #expect(seen.map(\.isResynchronised) == [true, true, false])
    }

    @Test func `lost events are reported once, even if no key differs`() {
        var decoder = decoder()
        #expect(
            [.dropped, .dropped, .nothing, .nothing].map { decoder.handle($0, at: now) }
                == [.event(.eventsLost), .readOn, .readOn, .wait]
        )
    }

    @Test func `a query of the key states without a loss reports only differences`() {
        var decoder = decoder(held: [.playPause])
        #expect(decoder.handle(.requeried, at: now) == .readOn)
        #expect(decoder.mode == .differences)
        #expect(events(&decoder, [key(.playPause, 0)]).map(\.isResynchronised) == [true])
    }

    @Test(arguments: [2, 4, 6, 7]) func `a plug that moves a switch of a jack is reported`(code: Int32) {
        var decoder = decoder()
        #expect(decoder.handle(jackSwitch(code, 0), at: now) == .event(.jackChanged))
        #expect(decoder.handle(jackSwitch(code, 1), at: now) == .event(.jackChanged))
    }

    @Test(arguments: [0, 17, 63, 64, -1, 70_000])
    func `a switch that no jack has is ignored`(code: Int32) {
        var decoder = decoder()
        #expect(decoder.handle(jackSwitch(code, 1), at: now) == .readOn)
    }

    private func jackSwitch(_ code: Int32, _ value: Int32) -> Reading {
        .event(RawEvent(type: 5, code: code, value: value, time: now))
    }

    @Test(arguments: [ENODEV, EIO, EBADF, EINVAL])
    func `a device that cannot be read has vanished`(errno: Int32) {
        var decoder = decoder()
        #expect(decoder.handle(.failed(errno: errno), at: now) == .vanished)
    }

    @Test func `an interrupted call is not a failure`() {
        var decoder = decoder()
        #expect(decoder.handle(.failed(errno: EINTR), at: now) == .wait)
    }
}

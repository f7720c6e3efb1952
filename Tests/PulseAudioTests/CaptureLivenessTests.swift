import Testing

@testable import PulseAudio

/// When a microphone is live, as a value.
@Suite struct CaptureLivenessTests {
    /// Its answers in order.
    private final class Microphone {
        private var liveness = CaptureLiveness()

        init(isZero: Bool, awaitsSound: Bool = false) {
            liveness.awaitsSound = awaitsSound
            _ = listed(isZero: isZero)
        }

        func listed(isZero: Bool) -> Bool { liveness.listed(isZero: isZero) }

        func received(_ bytes: [UInt8]) -> CaptureLiveness.Answer {
            liveness.received(bytes[...], .speech)
        }
    }

    private static let zeroCount = SampleSpec.speech.byteCount(of: CaptureLiveness.zeroLimit)
    private let zeros = [UInt8](repeating: 0, count: zeroCount)
    private let sound: [UInt8] = [0, 0, 1, 0]

    @Test func `zeros are no beginning of a headset, nor of a source whose volume is not known`() {
        #expect(Microphone(isZero: false).received([0, 0]) == .live)
        let headset = Microphone(isZero: false, awaitsSound: true)
        #expect(headset.received(zeros) == .notYet)
        #expect(headset.received(sound) == .live)
        for isZero in [false, true] {
            let new = Microphone(isZero: true)
            #expect(new.received([0, 0]) == .notYet)
            #expect(new.received(zeros) == .asksForVolume)
            #expect(new.received(zeros) == .notYet)
            #expect(new.listed(isZero: isZero) == isZero)
            #expect(new.received([0, 0]) == .live)
        }
    }

    @Test func `the volume 0 is believed with zeros, before and after the first sound`() {
        let microphone = Microphone(isZero: true)
        #expect(microphone.received(sound) == .live)
        // What was captured before a change comes after its event.
        #expect(!microphone.listed(isZero: true))
        #expect(microphone.received(sound) == .live)
        #expect(microphone.received(Array(zeros.dropLast(2))) == .notYet)
        #expect(microphone.received([0, 0]) == .asksForVolume)
        #expect(microphone.listed(isZero: true))
        #expect(!microphone.listed(isZero: false))
    }
}

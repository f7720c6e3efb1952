import EventLoop
import JSON
import PTTCore
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// The events of a press, written by hand, against the same written by the encoder.
@Suite struct PressMessageTests {
    init() { withRunningLoop() }

    private func expectSame(_ event: CoreEvent) {
        let update = ChannelInterface.Update(sequence: 41, time: 1_234_567, status: nil, event: event)
        #expect(JSONText(press: event, sequence: 41, time: 1_234_567) == .encoding(update))
    }

    @Test func `the events of a press are written as the encoder writes them`() {
        for kind in OriginKind.allCases {
            for source in TransmitSource.allCases {
                for role in ButtonRole.allCases {
                    let transmission = Transmission(
                        transmissionID: TransmissionID(rawValue: 7),
                        source: source,
                        origin: Origin(
                            kind: kind,
                            identifier: "A4:C1:38:00:00:01",
                            name: "Knöpfchen \"1\"\n"
                        ),
                        began: 1_000_000,
                        role: role,
                        latched: role == .emergency ? 1_200_000 : nil,
                        recording: role == .multifunction ? .standard : nil
                    )
                    expectSame(.transmissionBegan(transmission: transmission))
                    for cause in EndCause.allCases {
                        expectSame(
                            .transmissionEnded(transmission: transmission, cause: cause, endedBy: source)
                        )
                    }
                }
            }
        }
        for event in [CoreEvent.audioActivating, .audioActivated, .audioDeactivated] { expectSame(event) }
    }

    @Test func `the encoder writes all other events`() {
        let others: [CoreEvent] = [
            .audioInterruptionEnded, .audioServerReady,
            .channelLeft(leaveReason: .userRequest, explanation: nil),
            .timeLimitNear(secondsLeft: 10), .unknown(kind: "new"),
        ]
        for event in others { #expect(JSONText(press: event, sequence: 1, time: 1) == nil) }
    }

    /// Channel joined, transmission began, audio activating and active, transmission ended, audio inactive.
    @EventLoop @Test func `the warm-up goes through a whole press`() {
        #expect(PressWarmUp().published >= 6)
    }
}

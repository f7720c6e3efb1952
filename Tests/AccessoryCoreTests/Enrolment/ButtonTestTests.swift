import AccessoryCore
import PTTMessages
import Testing

@Suite struct ButtonTestTests {
    private func event(
        _ kind: AccessoryEventKind = .ignored,
        _ role: ButtonRole? = .talk,
        isPressed: Bool,
        mode: ButtonMode = .hold,
        link: LinkState = .unused
    ) -> AccessoryEvent {
        let device = AccessoryDevice(
            kind: .bluetoothButton,
            identifier: "A",
            name: "A",
            profile: nil,
            mode: mode,
            link: link,
            isPressed: isPressed,
            remark: nil
        )
        return AccessoryEvent(kind, device: device, role: role)
    }

    private func state(after events: [AccessoryEvent]) -> ButtonTest.State {
        var test = ButtonTest()
        for event in events { test.handle(event) }
        return test.state
    }

    @Test func `a press and its release pass`() {
        #expect(state(after: [event(isPressed: true)]) == .waitingForRelease(.talk))
        #expect(state(after: [event(isPressed: true), event(isPressed: false)]) == .passed(.talk, .hold))
    }

    @Test func `a release without its press passes only for a button that toggles`() {
        #expect(state(after: [event(isPressed: false)]) == .waitingForPress)
        #expect(state(after: [event(isPressed: false, mode: .toggle)]) == .passed(.talk, .toggle))
    }

    @Test func `heartbeats, other buttons and changes of the device do not pass`() {
        let press = event(isPressed: true)
        for other in [
            event(.ignored, nil, isPressed: false), event(.ignored, .channelUp, isPressed: false),
            event(.deviceChanged, .talk, isPressed: false), event(.ignored, .emergency, isPressed: false),
        ] {
            #expect(state(after: [press, other]) == .waitingForRelease(.talk))
        }
    }

    @Test(arguments: [LinkState.away, .connecting, .unknown])
    func `a link that is lost begins the test anew`(link: LinkState) {
        let lost = event(.deviceChanged, nil, isPressed: false, link: link)
        #expect(state(after: [event(isPressed: true), lost]) == .waitingForPress)
        #expect(state(after: [event(isPressed: true), lost, event(isPressed: false)]) == .waitingForPress)
    }
}

@Suite struct LinkDiagnosisTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    private func advice(bonding: ConnectionPolicy.Bonding = .ifRequested, links: [Int]) -> String {
        var diagnosis = LinkDiagnosis(bonding: bonding)
        var now = 0
        for length in links {
            diagnosis.connected(at: time(now))
            now += length
            diagnosis.disconnected(at: time(now), isBonded: true)
            now += 100
        }
        return advice(of: diagnosis, isBonded: true)
    }

    /// Empty without any.
    private func advice(of diagnosis: LinkDiagnosis, isBonded: Bool) -> String {
        diagnosis.advice("A", isBonded: isBonded) ?? ""
    }

    @Test func `three links in succession that end at once are a lost bond`() {
        let lost = "it has lost its bond, and each link ends at once: run `pttctl repair A`"
        #expect(advice(links: [40, 40]).isEmpty)
        #expect(advice(links: [40, 60, 20]) == lost)
        #expect(advice(links: [40, 60, 5000, 20]).isEmpty)
        #expect(advice(bonding: .never, links: [40, 60, 20]) == lost)
    }

    @Test func `a link whose services were found is no sign of a lost bond`() {
        var diagnosis = LinkDiagnosis(bonding: .ifRequested)
        for start in stride(from: 0, to: 10_000, by: 1000) {
            diagnosis.connected(at: time(start))
            diagnosis.resolved(hasButton: true)
            diagnosis.disconnected(at: time(start + 50), isBonded: true)
        }
        #expect(advice(of: diagnosis, isBonded: true).isEmpty)
    }

    @Test func `a bond of a device that must not have one, a missing button and a slow answer are found`() {
        #expect(
            advice(of: LinkDiagnosis(bonding: .never), isBonded: true)
                == "it is bonded, and loses its key when it is switched off: run `pttctl repair A`"
        )
        #expect(advice(of: LinkDiagnosis(bonding: .never), isBonded: false).isEmpty)
        #expect(advice(of: LinkDiagnosis(bonding: .required), isBonded: true).isEmpty)
        var diagnosis = LinkDiagnosis(bonding: .ifRequested)
        diagnosis.resolved(hasButton: false)
        #expect(
            advice(of: diagnosis, isBonded: false)
                .hasPrefix("BlueZ knows its services, and the button is not among them")
        )
        diagnosis.resolved(hasButton: true)
        diagnosis.answered(after: .milliseconds(1500))
        #expect(advice(of: diagnosis, isBonded: false).hasPrefix("its link is slow (an answer took 1 s)"))
        diagnosis.answered(after: .milliseconds(300))
        #expect(advice(of: diagnosis, isBonded: false).isEmpty)
    }
}

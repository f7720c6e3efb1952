import PTTMessages
import Testing

@testable import IndicatorCore

/// The notification's texts about a call, and about what others hear as a tone.
@Suite struct MessageTests {
    @Test func `in a call it says who hears, and has no channel to leave`() {
        var daemon = SimulatedDaemon(actions: true)
        var view = Destination.call
        daemon.show(view)
        #expect(daemon.content?.summary == "Push to talk")
        #expect(daemon.content?.body == "Mumble hears silence")
        #expect(daemon.content?.actions == [.talk])
        view.isMicrophoneOpen = true
        daemon.show(view)
        daemon.pass(1)
        #expect(daemon.content?.body == "The microphone is open: Mumble hears you")
        #expect(daemon.content?.urgency == .critical)
        #expect(daemon.content?.actions == [.stop])
        view.isLocked = true
        daemon.show(view)
        #expect(daemon.content?.body == "The microphone is open")
        view.isMicrophoneOpen = false
        daemon.show(view)
        daemon.pass(1)
        #expect(daemon.content?.body == "A call listens")
    }

    @Test(arguments: [false, true]) func `what a tone says is shown, also with a panel`(hasPanel: Bool) {
        var daemon = SimulatedDaemon()
        var view = Destination.radio
        view.hasPanel = hasPanel
        view.message = Message(text: Text("A call is active"), number: 1)
        daemon.show(view)
        #expect(daemon.content?.body == (hasPanel ? "" : "Nobody speaks. ") + "A call is active")
        #expect(daemon.content?.stays == !hasPanel)
        daemon.close(isDismissed: !hasPanel)
        daemon.show(view)
        daemon.pass(2)
        #expect(daemon.content == nil)
        view.message = Message(text: Text("A call is active"), number: 2)
        daemon.show(view)
        daemon.pass(2)
        #expect(daemon.content?.body.english.hasSuffix("A call is active") == true)
        view.message = nil
        daemon.show(view)
        daemon.pass(2)
        #expect(daemon.content?.body == (hasPanel ? nil : "Nobody speaks"))
    }

    @Test func `a message may have names, which a locked screen does not show`() {
        var daemon = SimulatedDaemon()
        var view = Destination.radio
        view.hasPanel = true
        view.isLocked = true
        view.message = Message(text: Text("Anna is talking"), number: 1)
        daemon.show(view)
        #expect(daemon.content == nil)
    }

    @Test(arguments: [
        Indicator.Event.core(.transmissionModeChanged(transmissionMode: .fullDuplex)),
        .core(.channelLeft(leaveReason: .userRequest, explanation: nil)),
        .sessionResumed,
    ]) func `a refusal is not shown any more when its reason may be over`(change: Indicator.Event) throws {
        var (indicator, _) = try IndicatorTests.joined()
        let refused = CoreEvent.transmissionRefused(
            origin: TalkOrigin.panel.origin,
            refusal: Refusal(.transmissionNotAllowed, "not now")
        )
        #expect(Self.problem(indicator.handle(.core(refused), at: .start)) == "not now")
        #expect(Self.problem(indicator.handle(change, at: .start)) == "")
    }

    @Test(arguments: [true, false])
    func `a recorder that comes outdates what was said of a call, and not what was said of a channel`(
        isJoined: Bool
    ) throws {
        var (indicator, _) = try IndicatorTests.joined()
        let call = Status(isAudioServerReady: true, timeLimit: 60, virtualMicrophone: .recorded(by: ["OBS"]))
        if !isJoined { _ = indicator.handle(.coreStatus(call), at: .start) }
        let refused = CoreEvent.transmissionRefused(
            origin: TalkOrigin.panel.origin,
            refusal: Refusal(.transmissionNotAllowed, "not now")
        )
        #expect(Self.problem(indicator.handle(.core(refused), at: .start)) == "not now")
        let comes = CoreEvent.virtualMicrophoneChanged(virtualMicrophone: .recorded(by: ["OBS", "Mumble"]))
        #expect(Self.problem(indicator.handle(.core(comes), at: .start)) == (isJoined ? nil : ""))
    }

    @Test(arguments: [true, false])
    func `what is wrong with a microphone is not shown any more when it is heard, and a refusal stays`(
        isMuted: Bool
    ) throws {
        var (indicator, _) = try IndicatorTests.joined()
        _ = indicator.handle(.watcherChanged(isThere: false), at: .start)
        for event in [.busConnected, .capabilities([])] as [Notice.Event] {
            _ = indicator.handle(.notice(event), at: .start)
        }
        let ended = CoreEvent.transmissionEnded(
            transmission: .ofPanel,
            cause: .microphoneMuted,
            endedBy: .unknown
        )
        func microphone(isHeard: Bool) -> Indicator.Event {
            let state = MicrophoneState(
                name: "m",
                description: "M",
                isMuted: !isHeard && isMuted,
                isSilent: !isHeard && !isMuted
            )
            return .core(.microphoneChanged(microphone: state))
        }
        _ = indicator.handle(microphone(isHeard: false), at: .start)
        _ = indicator.handle(.core(ended), at: .start)
        let shown = indicator.handle(.notice(.shown(1)), at: .start + .seconds(2))
        let body = isMuted ? "The microphone is muted" : "The microphone's volume is zero"
        #expect(Self.body(shown) == "Nobody speaks. " + body)
        #expect(Self.problem(indicator.handle(microphone(isHeard: true), at: .start)) == "")
        let refused = CoreEvent.transmissionRefused(
            origin: TalkOrigin.panel.origin,
            refusal: Refusal(.transmissionNotAllowed, "not now")
        )
        #expect(Self.problem(indicator.handle(.core(refused), at: .start)) == "not now")
        #expect(Self.problem(indicator.handle(microphone(isHeard: false), at: .start)) == nil)
        #expect(Self.problem(indicator.handle(microphone(isHeard: true), at: .start)) == nil)
    }

    @Test func `that there was no microphone is said of the past, since no event reports one`() throws {
        var (indicator, _) = try IndicatorTests.joined()
        let ended = CoreEvent.transmissionEnded(
            transmission: .ofPanel,
            cause: .noMicrophone,
            endedBy: .unknown
        )
        let effects = indicator.handle(.core(ended), at: .start)
        #expect(Self.problem(effects) == "It ended: there was no microphone")
    }

    private static func body(_ effects: [Indicator.Effect]) -> String? {
        for case .notify(let content, _) in effects { return content.body.english }
        return nil
    }

    /// The problem in the item that is shown next.
    private static func problem(_ effects: [Indicator.Effect]) -> String? {
        for case .showPanel(let item) in effects {
            return item.menu.first { $0.id == .problem }?.label.english
        }
        return nil
    }
}

extension Transmission {
    fileprivate static let ofPanel = Transmission(
        transmissionID: TransmissionID(rawValue: 1),
        source: .userRequest,
        origin: TalkOrigin.panel.origin,
        began: 0
    )
}

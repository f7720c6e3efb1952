import Foundation
import PTTMessages
import Testing

@testable import PushToTalk

/// For all events of the core in any order, and its loss at any moment, the application receives pairs of
/// callbacks.
@Suite struct ChannelViewTests {
    /// Every event in every state that can be reached.
    @Test func `each reported beginning has its end, whatever happens in between`() throws {
        let start = Situation(view: .notJoined, application: Application())
        var seen: Set = ["\(start)"]
        var open = [start]
        while let situation = open.popLast() {
            for event in Event.all {
                var next = situation
                let callbacks = event.apply(to: &next.view)
                for callback in callbacks {
                    try next.application.receive(callback, after: event, in: situation)
                }
                #expect(next.application.agrees(with: next.view), "\(situation) after \(event): \(next)")
                if seen.insert("\(next)").inserted { open.append(next) }
            }
        }
        // No channel; of each channel joining, unattended, restoring in two ways, and joined with 2
        // (transmitting) times 2 (active) times 3 (interrupted, by a call or not) times 5 (buttons held, in
        // order).
        #expect(seen.count == 1 + 2 * (4 + 60))
    }

    @Test
    func `a call interrupts, then ends the transmission and the session, and lasts without a participant`() {
        let channelID = ChannelID(UUID())
        var view = ChannelView.notJoined
        view.granted(channelID)
        _ = view.joined(channelID, .developerRequest)
        _ = view.transmissionBegan(.handsfreeButton, .talk)
        _ = view.audioActivated()
        let callbacks =
            view.audioInterrupted(by: .call) + view.transmissionEnded(.unknown) + view.audioDeactivated()
        #expect(callbacks.map { "\($0)".prefix { $0 != "(" } } == ["interruption", "ended", "deactivated"])
        #expect(view.participantCleared().isEmpty)
        #expect(view.audioInterruptionEnded().map { "\($0)" } == ["interruption(began: false)"])
    }

    private struct Situation {
        var view: ChannelView
        var application: Application
    }

    private struct Event: CustomStringConvertible {
        let description: String
        private let change: @Sendable (inout ChannelView) -> [Callback]

        init(_ description: String, _ change: @escaping @Sendable (inout ChannelView) -> [Callback]) {
            self.description = description
            self.change = change
        }

        func apply(to view: inout ChannelView) -> [Callback] { change(&view) }

        private static let channels = [UUID(), UUID()].map { ChannelID($0) }
        /// Of one accessory.
        private static let buttons = [ButtonRole.talk, .channelUp].map {
            ChannelView.Button(
                origin: Origin(kind: .bluetoothButton, identifier: "1", name: "Mic"),
                role: $0
            )
        }

        static let all: [Event] =
            attachments + channels.flatMap { about($0) } + talk + buttons.flatMap { about($0) }

        private static let attachments = (channels.map { Optional($0) } + [nil]).flatMap { restored in
            (channels.map { Optional($0) } + [nil]).map { left in
                Event("attached \(restored?.text ?? "-") left \(left?.text ?? "-")") {
                    $0.attached(
                        ApplicationInterface.Attachment(
                            callToken: "call",
                            audioToken: "audio",
                            pushToken: PushToken(rawValue: "00"),
                            format: .standard,
                            restored: restored.map { .init(channelID: $0, needsDescriptor: false) },
                            left: left.map { .init(channelID: $0, reason: .userRequest, explanation: nil) },
                            isAudioServerReady: true
                        )
                    )
                }
            }
        }

        private static func about(_ channelID: ChannelID) -> [Event] {
            [
                Event("granted \(channelID.text)") {
                    $0.granted(channelID)
                    return []
                },
                Event("joined \(channelID.text)") { $0.joined(channelID, .developerRequest) },
                Event("restored \(channelID.text)") {
                    $0.restored(channelID, token: PushToken(rawValue: "00"))
                    return []
                },
            ]
        }

        private static let talk = [
            Event("lost") { $0.lost() }, Event("left") { $0.left(.userRequest) },
            Event("began") { $0.transmissionBegan(.userRequest, .emergency) },
            Event("ended") { $0.transmissionEnded(.userRequest) },
            Event("activated") { $0.audioActivated() }, Event("deactivated") { $0.audioDeactivated() },
            Event("interrupted") { $0.audioInterrupted(by: .speakerLost) },
            Event("interrupted by a call") { $0.audioInterrupted(by: .call) },
            Event("interruption ended") { $0.audioInterruptionEnded() },
            Event("cleared") { $0.participantCleared() },
        ]

        private static func about(_ button: ChannelView.Button) -> [Event] {
            let name = "\(button.origin.name) \(button.role)"
            return [
                Event("pressed \(name)") { $0.pressed(button) },
                Event("released \(name)") { $0.released(button) },
            ]
        }
    }
}

/// The state of an application that believes each callback.
private struct Application {
    struct Contradiction: Error {
        let callback: Callback
        let event: String
        let situation: String
    }

    var channel: UUID?
    var transmits = false
    var isActive = false
    var isInterrupted = false
    var pressed: [PTTAccessory] = []

    private var isQuiet: Bool { !transmits && !isActive && !isInterrupted && pressed.isEmpty }

    func agrees(with view: ChannelView) -> Bool {
        switch view {
        case .notJoined, .joining, .restoring(_, token: _, isReported: false): channel == nil && isQuiet
        case .restoring(let channelID, token: _, isReported: true), .unattended(let channelID):
            channel == channelID.uuid && isQuiet
        case .joined(let channelID, _): channel == channelID.uuid
        }
    }

    mutating func receive(_ callback: Callback, after event: some Any, in situation: some Any) throws {
        guard apply(callback) else {
            throw Contradiction(callback: callback, event: "\(event)", situation: "\(situation)")
        }
    }

    /// - Returns: True if the callback fits the state.
    private mutating func apply(_ callback: Callback) -> Bool {
        switch callback {
        case .joined(let uuid, _):
            // It may be joined already: a channel that is restored after the core was lost.
            guard channel == nil || channel == uuid, isQuiet else { return false }
            channel = uuid
        case .left(let uuid, _):
            // It may be not joined: a channel that was joined in an earlier process.
            guard channel == nil || channel == uuid, isQuiet else { return false }
            channel = nil
        case .began(let uuid, _, _):
            guard channel == uuid, !transmits else { return false }
            transmits = true
        case .ended(let uuid, _):
            guard channel == uuid, transmits else { return false }
            transmits = false
        case .activated:
            guard channel != nil, !isActive, !isInterrupted else { return false }
            isActive = true
        case .deactivated:
            guard isActive else { return false }
            isActive = false
        case .interruption(let began):
            guard isInterrupted != began else { return false }
            isInterrupted = began
        case .pressed(let uuid, let accessory):
            guard channel == uuid, !pressed.contains(accessory) else { return false }
            pressed.append(accessory)
        case .released(let uuid, let accessory):
            guard channel == uuid, pressed.contains(accessory) else { return false }
            pressed.removeAll { $0 == accessory }
        case .failedToJoin:
            return channel == nil
        case .token:
            break
        case .routeChanged, .servicesLost, .servicesReset, .push, .failedToActivate, .failedToLeave,
            .failedToBegin, .failedToStop:
            return false
        }
        return true
    }
}

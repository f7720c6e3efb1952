import EventLoop
import PTTMessages

extension Scenario {
    static let soundFaults = [
        transmittingWhile(
            "PipeWire is killed",
            ends: [.audioServerLost, .microphoneLost],
            { try await Machine.kill("pipewire", "pipewire-pulse") }
        ),
        transmittingWhile(
            "the sound card is unplugged",
            ends: [.microphoneLost, .audioServerLost],
            { try await Machine.soundCard(isBound: false) },
            { try await Machine.soundCard(isBound: true) }
        ),
    ]

    private static func transmittingWhile(
        _ what: String,
        ends causes: [EndCause],
        _ fault: @escaping @EventLoop () async throws -> Void,
        _ cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(3, "\(what) while the button is held: the transmission ends") { lab in
            try await lab.paired(.ffe0)
            let application = try await lab.application()
            try await lab.press(.ffe0, for: application)
            let mark = lab.core.events.count
            try await fault()
            let cause = try await lab.core.end(after: mark)
            guard causes.contains(cause) else { throw Failure("it ended because of \(cause.rawValue)") }
            try await Machine.nobodyRecords()
            try await cure()
            try await Machine.microphoneIsBack()
            try await until("the core has an audio server") { lab.core.status?.isAudioServerReady == true }
            try await Hand.release(.ffe0)
            try await until("the button is let go") {
                lab.bridge.device(Button.ffe0.address)?.isPressed == false
            }
            guard lab.core.beginnings(after: mark) == 0 else { throw Failure("it began again by itself") }
            try await lab.talk(.ffe0, to: application)
            application.close()
        }
    }
}

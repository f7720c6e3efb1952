import EventLoop
import Glibc
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
        Scenario(
            3,
            "PipeWire is killed: the next press, right after it is back, is heard",
            pressAfterPipeWire
        ),
        Scenario(3, "without a microphone a press transmits nothing of the loudspeaker", noMicrophone),
    ]

    private static func pressAfterPipeWire(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        let mark = lab.core.events.count
        try await Machine.kill("pipewire", "pipewire-pulse")
        // Whatever becomes of a press at this moment, nothing stays open after the release.
        try await Hand.press(.ffe0)
        try await Hand.release(.ffe0)
        try await until("the button is let go") {
            lab.accessories.device(Button.ffe0.address)?.isPressed == false
        }
        try await eventually("nobody transmits") {
            lab.core.status?.transmission == nil && lab.core.status?.audio == .inactive
        }
        try await Machine.microphoneIsBack()
        guard lab.core.beginnings(after: mark) <= 1 else {
            throw Failure("one press began two transmissions")
        }
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    private static func noMicrophone(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await Machine.soundCard(isBound: false)
        let player = try Command([
            "sh", "-c",
            "while pacat --raw --format=s16le --rate=48000 --channels=2 /opt/guest/tone.pcm; do :; done",
        ])
        // The default source carries what the loudspeaker plays.
        try await eventually("the loudspeaker is heard") {
            try await Command.run(["/opt/guest/hear", "--seconds", "0.3"]).status == 0
        }
        let mark = lab.core.events.count
        try await Hand.press(.ffe0)
        try await lab.ends(.noMicrophone, after: mark)
        try await Machine.nobodyRecords()
        try await Hand.release(.ffe0)
        guard application.packets == 0 else { throw Failure("\(application.packets) packets were delivered") }
        player.signal(SIGKILL)
        try await Machine.soundCard(isBound: true)
        try await Machine.microphoneIsBack()
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

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
                lab.accessories.device(Button.ffe0.address)?.isPressed == false
            }
            guard lab.core.beginnings(after: mark) == 0 else { throw Failure("it began again by itself") }
            try await lab.talk(.ffe0, to: application)
            application.close()
        }
    }
}

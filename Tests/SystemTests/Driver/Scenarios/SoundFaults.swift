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
            part: 3,
            "PipeWire is killed: the next press, right after its restart, transmits",
            pressAfterPipeWire
        ),
        Scenario(part: 3, "without a microphone a press transmits nothing of the loudspeaker", noMicrophone),
    ]

    private static func pressAfterPipeWire(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await Machine.kill("pipewire", "pipewire-pulse")
        // Whether or not a press at this moment transmits, nothing stays open after the release.
        try await ButtonSimulator.press(.ffe0)
        try await ButtonSimulator.release(.ffe0)
        try await until("the button is released") {
            fixture.accessories.device(Button.ffe0.address)?.isPressed == false
        }
        try await eventually("nothing transmits") {
            fixture.core.status?.transmission == nil && fixture.core.status?.audio == .inactive
        }
        try await Machine.microphoneIsBack()
        guard fixture.core.beginnings(after: mark) <= 1 else {
            throw Failure("one press began two transmissions")
        }
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    private static func noMicrophone(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        let restoration =
            "pkill pacat; /opt/guest/as-dev pactl unload-module module-null-sink; "
            + "echo snd_aloop.0 > \(Machine.card)/bind || true"
        try await restoring(by: restoration) {
            try await Machine.soundCard(isBound: false)
            // Without another one the speaker of the machine would be the feed of the Push-to-Talk
            // Microphone.
            _ = try await Command.output(of: [
                "pactl", "load-module", "module-null-sink", "sink_name=loudspeaker",
            ])
            let player = try Command([
                "sh", "-c",
                "while pacat --device=loudspeaker --raw --format=s16le --rate=48000 --channels=2 "
                    + "/opt/guest/tone.pcm; do :; done",
            ])
            try await eventually("the loudspeaker is heard") {
                try await Command.run([
                    "/opt/guest/hear", "--seconds", "0.3", "--source", "loudspeaker.monitor",
                ]).status == 0
            }
            let mark = fixture.core.events.count
            try await ButtonSimulator.press(.ffe0)
            try await fixture.ends(.noMicrophone, after: mark)
            try await Machine.nothingRecords()
            try await ButtonSimulator.release(.ffe0)
            player.signal(SIGKILL)
        }
        guard application.packets == 0 else { throw Failure("\(application.packets) packets were delivered") }
        try await Machine.microphoneIsBack()
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    private static func transmittingWhile(
        _ what: String,
        ends causes: [EndCause],
        _ fault: @escaping @EventLoop () async throws -> Void,
        _ cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(part: 3, "\(what) while the button is held: the transmission ends") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await fixture.press(.ffe0, for: application)
            let mark = fixture.core.events.count
            try await fault()
            let cause = try await fixture.core.end(after: mark)
            guard causes.contains(cause) else { throw Failure("it ended because of \(cause.rawValue)") }
            try await Machine.nothingRecords()
            try await cure()
            try await Machine.microphoneIsBack()
            try await until("the core has an audio server") {
                fixture.core.status?.isAudioServerReady == true
            }
            try await ButtonSimulator.release(.ffe0)
            try await until("the button is released") {
                fixture.accessories.device(Button.ffe0.address)?.isPressed == false
            }
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began without a press")
            }
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }
}

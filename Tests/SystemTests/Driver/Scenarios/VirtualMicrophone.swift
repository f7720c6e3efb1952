import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    /// The Push-to-Talk Microphone, as a call application records it: each sample is zero but while a button
    /// is held.
    static let virtualMicrophone = [
        Scenario(part: 19, "a call application records silence, a held button, and silence", talks),
        Scenario(part: 19, "without a call application a press is refused", needsApplication),
        heldWhile(
            "the link to the button is lost",
            ends: [.linkLost],
            { _ in try await ButtonSimulator.perform("vanish", on: .ffe0, with: "0.5") },
            { try await ButtonSimulator.perform("return", on: .ffe0) }
        ),
        heldWhile("ptt-accessoryd is killed", ends: [.connectionLost]) { _ in
            try await Machine.kill("ptt-accessoryd")
        },
        heldWhile("the core is killed", ends: []) { _ in try await Machine.kill("pttd") },
        heldWhile("the call application is killed", ends: [.recorderGone]) { try await $0.crash() },
        heldWhile(
            "pipewire-pulse is killed",
            ends: [.audioServerLost, .microphoneLost, .recorderGone],
            // As after the next login: PipeWire makes the microphone that the core had made with
            // pipewire-pulse.
            before: Machine.restartSoundServer
        ) { _ in try await Machine.kill("pipewire-pulse") },
    ]

    private static func talks(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await CallApplication.record(fixture.core)
        for _ in 1...2 {
            try await press(fixture, to: application)
            try await fixture.release(.ffe0)
            try await onlyItRecords(application)
        }
        guard fixture.core.status?.channel == nil else { throw Failure("a channel is joined") }
        application.close()
    }

    private static func needsApplication(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        try await fixture.core.open()
        let mark = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.core.event("the press is refused", after: mark) {
            if case .transmissionRefused(_, let refusal) = $0, refusal.code == .noRecorder {
                true
            } else {
                nil
            }
        }
        try await fixture.nothingIsOpen()
        try await ButtonSimulator.release(.ffe0)
    }

    /// A fault while the button is held. Afterwards the application records silence, and the next press. The
    /// transmission ends because of one of `causes`; they are empty if the core cannot report it.
    private static func heldWhile(
        _ what: String,
        ends causes: [EndCause],
        before: @escaping @EventLoop () async throws -> Void = {},
        _ fault: @escaping @EventLoop (CallApplication) async throws -> Void,
        _ cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(part: 19, "\(what) while the button is held: a call application records silence") {
            fixture in
            try await before()
            try await fixture.paired(.ffe0)
            let application = try await CallApplication.record(fixture.core)
            try await press(fixture, to: application)
            let mark = fixture.core.events.count
            try await fault(application)
            if causes.isEmpty {
                try await until("the core is lost") { fixture.core.status == nil }
                try await until("the core is back") { fixture.core.status != nil }
            } else {
                let cause = try await fixture.core.end(after: mark)
                guard causes.contains(cause) else {
                    throw Failure("it ended because of \(cause.rawValue)")
                }
                // A sound server that was away gives the application another source until the core has moved
                // it.
                if [.audioServerLost, .microphoneLost, .recorderGone].contains(cause) {
                    try await fixture.core.event("the call application records again", after: mark) {
                        if case .virtualMicrophoneChanged(.recorded) = $0 { true } else { nil }
                    }
                }
            }
            try await until("the core reports the call application") {
                if case .recorded = fixture.core.status?.virtualMicrophone { true } else { false }
            }
            try await onlyItRecords(application)
            try await cure()
            // The person releases and presses again.
            try await ButtonSimulator.perform("release", on: .ffe0)
            try await fixture.ready(.ffe0)
            try await until("the button is released") {
                fixture.accessories.device(Button.ffe0.address)?.isPressed == false
            }
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began without a press")
            }
            try application.isStillSilent()
            try await press(fixture, to: application)
            try await fixture.release(.ffe0)
            try await onlyItRecords(application)
            application.close()
        }
    }

    private static func press(_ fixture: GuestFixture, to application: CallApplication) async throws {
        try application.isStillSilent()
        let mark = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.began(Button.ffe0.address, after: mark)
        try await application.recordsTone()
    }

    /// From outside: the application records silence, the feed of its source is muted, and no other program
    /// records.
    private static func onlyItRecords(_ application: CallApplication) async throws {
        try await application.recordsSilence()
        try await eventually("the feed is muted") {
            try await Command.run(["pactl", "get-sink-mute", "ptt_feed"]).output == "Mute: yes\n"
        }
        try await eventually("only the call application records") {
            let streams = try await Command.run(["pactl", "list", "short", "source-outputs"])
            return streams.status == 0 && streams.output.split(separator: "\n").count == 1
        }
        try application.isStillSilent()
    }
}

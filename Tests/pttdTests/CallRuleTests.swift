import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// A call ends a transmission, and refuses the next, with the built core and real sound servers.
@Suite(.serialized) struct CallRuleTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `a call ends the transmission, refuses the next with its name, and nothing resumes after it`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        let caller = try fixture.sound.caller("--playback")
        #expect(try await fixture.end() == .callActive)
        try await fixture.sound.isNotRecorded()
        let refused = try await refusal { _ = try await fixture.accessoryd.begin(.other) }
        #expect(refused.code == .callActive)
        #expect(refused.reason.contains("Caller"))
        caller.kill()
        try await fixture.published { $0 == .callChanged(call: nil) }
        // Nobody has released the button, and nothing begins.
        let status = try await fixture.accessoryd.status()
        #expect(status.transmission == nil && status.audio == .inactive)
        try await fixture.sound.isNotRecorded()
        try await fixture.expectSilence()
        _ = try await fixture.accessoryd.begin(.other)
        #expect(try await fixture.firstSoundOrEnd() == nil)
    }

    /// From the signal of the modem to the moment at which no stream of the core is left on the server, as
    /// another client of the server sees it. The fastest of a few: other work of the machine is not what is
    /// measured.
    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the microphone is closed within 200 milliseconds of the call`(
        program: SoundServerProgram
    ) async throws {
        let bus = try await PrivateBus.start()
        let modemManager = try await ScriptedModemManager.start(bus.address)
        let fixture = try await MicrophoneFixture.start(
            program,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        try await modemManager.listings.next()
        var fastest = Duration.seconds(60)
        for number in 1...5 {
            _ = try await fixture.accessoryd.begin()
            #expect(try await fixture.firstSoundOrEnd() == nil)
            let start = MonotonicInstant.now
            try modemManager.add(number, .ringingIn)
            try await fixture.sound.isNotRecorded()
            fastest = min(fastest, .now - start)
            #expect(try await fixture.end() == .callActive)
            try modemManager.change(number, .terminated)
            try await fixture.published { $0 == .callChanged(call: nil) }
        }
        print("\(program): the microphone was closed \(fastest) after the call")
        #expect(fastest < .milliseconds(200))
    }

    @Test @EventLoop
    func `a call on the session bus refuses a press, an emergency too unless it is configured`()
        async throws
    {
        for isAllowed in [false, true] {
            let bus = try await PrivateBus.start()
            let callaudiod = try await ScriptedCallaudiod.start(bus.address, mode: 1)
            let fixture = try await MicrophoneFixture.start(
                .pulseAudio,
                "emergency-during-calls = \(isAllowed)",
                environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
            )
            if try await fixture.accessoryd.status().call == nil {
                try await fixture.published { $0 == .callChanged(call: .callaudiod) }
            }
            let refused = try await refusal { _ = try await fixture.accessoryd.begin() }
            #expect(refused.code == .callActive)
            let begin: @EventLoop () async throws -> Void = {
                _ = try await fixture.accessoryd.call(
                    ChannelInterface.beginTransmitting,
                    ChannelInterface.BeginRequest(
                        channelID: nil,
                        source: .handsfreeButton,
                        origin: .button,
                        role: .emergency
                    )
                )
            }
            if isAllowed {
                try await begin()
                #expect(try await fixture.firstSoundOrEnd() == nil)
            } else {
                #expect(try await refusal(begin).code == .callActive)
            }
            withExtendedLifetime(callaudiod) {}
        }
    }
}

extension PrivateAudioServer {
    /// Waits until no capture stream is left.
    fileprivate func isNotRecorded() async throws {
        try await TestSupport.until { try await sourceOutputs().isEmpty }
    }
}

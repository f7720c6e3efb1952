import EventLoop
import Foundation
import Glibc
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// The headset's profiles with the built core and real sound servers, which have no Bluetooth card here.
@Suite(.serialized) struct HeadsetTests {
    init() { withRunningLoop() }

    private static let file =
        #"{"changes": [{"card": "bluez_card.70_BF_92_C9_F5_D0", "original": "a2dp_sink", "changed": "handsfree_head_unit"}]}"#

    @Test(arguments: SoundServerProgram.allCases, ["transmission", "conversation", "channel"])
    @EventLoop func `without a headset a press opens the usual microphone`(
        program: SoundServerProgram,
        mode: String
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program, "bluetooth-headset = \"\(mode)\"")
        for _ in 0..<2 {
            _ = try await fixture.accessoryd.begin()
            #expect(try await fixture.firstSoundOrEnd() == nil)
            #expect(fixture.input == "tone")
            try await fixture.accessoryd.end()
            try await fixture.published {
                if case .transmissionEnded = $0 { true } else { false }
            }
        }
        #expect(access(fixture.core.state("headset.json"), F_OK) != 0)
    }

    @Test(arguments: ["music", "transmission"])
    @EventLoop func `the change of a headset that is away stays written down, over restarts and exits`(
        mode: String
    )
        async throws
    {
        let fixture = try await MicrophoneFixture.start(.pulseAudio, "bluetooth-headset = \"\(mode)\"")
        let path = fixture.core.state("headset.json")
        try fixture.core.writeState(Self.file, to: "headset.json")
        try await fixture.core.crashAndRestart()
        fixture.core.process.signal(SIGTERM)
        #expect(try await fixture.core.process.exitStatus() == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.file)
    }

    @Test(arguments: ["[", "{}", "[1]", "\u{0}", #"{"changes": [{"card": 1}]}"#])
    @EventLoop func `a file that cannot be used is logged, and the core starts`(text: String) async throws {
        let fixture = try await MicrophoneFixture.start(.pulseAudio, "bluetooth-headset = \"transmission\"")
        try fixture.core.writeState(text, to: "headset.json")
        try await fixture.core.crashAndRestart(until: { $0.contains("headset.json cannot be used") })
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `the server lists its cards, and refuses a profile of one that it does not have`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        let server = AudioServer(applicationName: "Test", address: fixture.sound.address)
        let results = AsyncQueue(of: String.self)
        server.stateChanged = { if case .ready = $0 { results.add("ready") } }
        server.connect()
        #expect(try await results.next() == "ready")
        server.list([.card, .server]) { result in
            if case .success(let devices) = result { results.add("\(devices.cards.count) cards") }
        }
        #expect(try await results.next() == "0 cards")
        let card = "bluez_card.70_BF_92_C9_F5_D0"
        server.change("use it", .setProfile("handsfree_head_unit", card: card)) { result in
            if case .failure(let error) = result { results.add("\(error.kind)") }
        }
        #expect(try await results.next() == "noDevice")
        server.close()
    }
}

import DBus
import EventLoop
import Glibc
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// Calls and recordings of applications on real sound servers, as the built core reports them.
@Suite(.serialized) struct CallStreamTests {
    init() { withRunningLoop() }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a recording or a playback with the role phone is a call until it ends`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        for kind in ["--record", "--playback"] {
            let caller = try fixture.sound.caller(kind)
            try await fixture.published { $0 == .callChanged(call: .phoneStream) }
            #expect(try await fixture.accessoryd.status().call == .phoneStream)
            caller.kill()
            try await fixture.published { $0 == .callChanged(call: nil) }
        }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a call that exists when the core starts is found`(program: SoundServerProgram)
        async throws
    {
        var caller: TestProcess?
        let fixture = try await MicrophoneFixture.start(program) { sound in
            caller = try sound.caller("--record")
            try await sound.untilRecorded()
        }
        if try await fixture.accessoryd.status().call == nil {
            try await fixture.published { $0 == .callChanged(call: .phoneStream) }
        }
        caller?.kill()
        try await fixture.published { $0 == .callChanged(call: nil) }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a call is known before the sound server counts as ready, and refuses the first press`(
        program: SoundServerProgram
    ) async throws {
        let sound = try await PrivateAudioServer.startOrSkip(program)
        let caller = try sound.caller("--record")
        try await until { try await sound.pactl("list", "source-outputs").contains("Corked: no") }
        // Until the test hears of all that the core does.
        sound.freeze()
        let core = try await CoreFixture.start(sound: sound)
        defer { withExtendedLifetime((sound, core)) {} }
        let (client, subscriber) = try (core.connect(), core.connect())
        let status = try await subscriber.subscribe()
        #expect(!status.isAudioServerReady && status.call == nil)
        _ = try await client.join()
        sound.thaw()
        let facts: [CoreEvent] = [.callChanged(call: .phoneStream), .audioServerReady]
        for fact in facts {
            let event = try await subscriber.events.first { facts.contains($0) }
            #expect(event == fact)
        }
        let refused = try await refusal { _ = try await client.begin() }
        #expect(refused.code == .callActive)
        caller.kill()
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop
    func `the core's own streams are neither a call nor a recording, others without a role are listed`(
        program: SoundServerProgram
    ) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        let recorder = try fixture.sound.caller("--record", role: nil)
        try await fixture.published { $0 == .recordersChanged(recorders: ["Caller"]) }
        let status = try await fixture.accessoryd.status()
        #expect(status.call == nil && status.transmission != nil)
        #expect(status.recorders == ["Caller"])
        recorder.kill()
        try await fixture.published { $0 == .recordersChanged(recorders: []) }
    }

    @Test(arguments: SoundServerProgram.allCases)
    @EventLoop func `a call ends with the sound server`(program: SoundServerProgram) async throws {
        let fixture = try await MicrophoneFixture.start(program)
        let caller = try fixture.sound.caller("--record")
        try await fixture.published { $0 == .callChanged(call: .phoneStream) }
        fixture.sound.kill()
        try await fixture.published { $0 == .callChanged(call: nil) }
        caller.kill()
    }

    @Test @EventLoop func `a configured application is in a call while it records`() async throws {
        let fixture = try await MicrophoneFixture.start(.pulseAudio, "call-applications = [\"caller\"]")
        let caller = try fixture.sound.caller("--record", role: nil)
        let call = ActiveCall(source: "call application", name: "Caller")
        try await fixture.published { $0 == .callChanged(call: call) }
        caller.kill()
        try await fixture.published { $0 == .callChanged(call: nil) }
    }

    @Test @EventLoop func `without calls in the configuration nothing is watched`() async throws {
        let fixture = try await MicrophoneFixture.start(.pulseAudio, "calls = false")
        let caller = try fixture.sound.caller("--record")
        try await fixture.sound.untilRecorded()
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        let status = try await fixture.accessoryd.status()
        #expect(status.call == nil && status.recorders.isEmpty)
        caller.kill()
    }

    @Test @EventLoop
    func `a sound server that does not list its streams in time is used, and its call is found later`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let server = try await sound.connection()
        let (answered, found) = (AsyncQueue(of: Void.self), AsyncQueue(of: Void.self))
        let caller = try sound.caller("--record")
        try await sound.untilRecorded()
        let watch = CallWatch(server, bus: "unix:path=/nonexistent")
        watch.changed = { if $0 != nil { found.add(()) } }
        watch.known = { answered.add(()) }
        sound.freeze()
        watch.serverIsReady()
        try await answered.next()
        sound.thaw()
        try await found.next()
        caller.kill()
        server.close()
        sound.stop()
    }

    @Test @EventLoop func `calls are known when the services on the buses have answered as well`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let modemManager = try await ScriptedModemManager.start(
            bus.address,
            calls: [1: .active],
            isSilent: true
        )
        let server = try await sound.connection()
        let facts = AsyncQueue(of: String.self)
        let recorder = try sound.caller("--record", role: nil)
        try await sound.untilRecorded()
        let watch = CallWatch(server, bus: bus.address)
        watch.recordersChanged = { _ in facts.add("streams are listed") }
        watch.changed = { if $0 == .modem { facts.add("a modem has a call") } }
        watch.known = { facts.add("all is known") }
        watch.serverIsReady()
        try await modemManager.listings.next()
        #expect(try await facts.next() == "streams are listed")
        modemManager.answer()
        #expect(try await facts.next() == "a modem has a call")
        #expect(try await facts.next() == "all is known")
        recorder.kill()
        server.close()
        sound.stop()
    }

    @Test @EventLoop func `a bus that does not answer in time is taken for one without calls`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        bus.signal(SIGSTOP)
        let server = try await sound.connection()
        let watch = CallWatch(server, bus: bus.address)
        let answered = AsyncQueue(of: Void.self)
        watch.known = { answered.add(()) }
        watch.serverIsReady()
        try await answered.next()
        bus.signal(SIGCONT)
        server.close()
        sound.stop()
    }
}

extension ActiveCall? {
    static let phoneStream = ActiveCall(source: "phone stream", name: "Caller")
}

extension CallWatch {
    /// With one bus for both.
    fileprivate convenience init(_ server: AudioServer, bus: String) {
        let (address, log) = (BusAddress.address(bus), RateLimitedLog(Logger(label: "CallStreamTests")))
        self.init(server: server, system: address, session: address, log: log)
    }
}

extension PrivateAudioServer {
    /// One that is ready.
    fileprivate func connection() async throws -> AudioServer {
        let server = AudioServer(applicationName: "Test", address: address)
        let ready = AsyncQueue(of: Void.self)
        server.stateChanged = { if case .ready = $0 { ready.add(()) } }
        server.connect()
        try await ready.next()
        return server
    }

    /// An application with the name "Caller", which records from the microphone or plays silence.
    func caller(_ kind: String, role: String? = "phone") throws -> TestProcess {
        let properties = ["application.name=Caller"] + (role.map { ["media.role=\($0)"] } ?? [])
        let device = kind == "--record" ? "tone" : "speaker"
        let files = kind == "--record" ? "/dev/null" : "/dev/zero"
        let options = properties.map { "--property=\($0)" } + ["--device=\(device)", "--raw", files]
        return try TestProcess(["pacat", kind] + options, environment: environment)
    }

    /// Waits until an application records.
    func untilRecorded() async throws {
        try await until { try await !sourceOutputs().isEmpty }
    }
}

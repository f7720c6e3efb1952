import EventLoop
import Foundation
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Faults around the core and wrong input from peers: a clear error each time, and the core keeps running.
@Suite(.serialized) struct BadInputTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `without a sound server the core runs and refuses a press with the reason`()
        async throws
    {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        _ = try await client.join()
        // At first the reason is that nobody has said whose session is active.
        try await until {
            let refused = try await refusal { _ = try await client.begin() }
            return refused.code == .unknown && refused.reason.contains("PipeWire or PulseAudio")
        }
    }

    @Test @EventLoop func `without a channel a press is refused, and the reason names the way to one`()
        async throws
    {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        let refused = try await refusal { _ = try await client.begin() }
        #expect(refused.code == .channelNotFound)
        #expect(refused.reason.contains("pttctl join"))
    }

    @Test(arguments: [
        "time-limit = \"long\"", "time-limit = 0", "time-limit = 1201", "time-limt = 30", "time-limit = ",
        "release-lag = 301", "release-lag = -1", "ducking = \"loud\"", "ducking = true",
        "\u{1}\u{2}",
    ])
    @EventLoop func `a configuration that cannot be used is logged, and nothing in it applies`(text: String)
        async throws
    {
        let core = try CoreFixture(configuration: text)
        let complaint = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(complaint.contains("pttd.toml"))
        #expect(complaint.contains("a locked screen refuses"))
        _ = try await core.process.lines.first { $0 == "info: ready" }
        #expect(try await core.connect().status().timeLimit == 60)
    }

    @Test @EventLoop func `a configuration file sets the time limit`() async throws {
        let core = try await CoreFixture.start(configuration: "time-limit = 7")
        #expect(try await core.connect().status().timeLimit == 7)
    }

    @Test @EventLoop func `a second core reports that one is running and exits`() async throws {
        let core = try await CoreFixture.start()
        let second = try CoreProcess.launch(in: core.directory)
        let complaint = try await second.lines.first { $0.hasPrefix("critical: ") }
        #expect(complaint.contains("in use"))
        #expect(try await second.exitStatus() == 1)
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `without a runtime directory the core reports which variable to set`() async throws
    {
        let core = try CoreProcess.launch(in: "/tmp", environment: ["XDG_RUNTIME_DIR": ""])
        let complaint = try await core.lines.first { $0.hasPrefix("critical: ") }
        #expect(complaint.contains("XDG_RUNTIME_DIR is not set"))
        #expect(try await core.exitStatus() == 1)
    }

    @Test(arguments: [
        ("Join", #"{"name": 5}"#, "name"), ("Join", #"{}"#, "name"),
        ("Join", #"{"name": "x", "channelID": "no-uuid"}"#, "channelID"),
        ("Join", #"{"name": "x", "format": {"rate": 11, "channels": 1}}"#, "format"),
        ("Join", #"{"name": "x", "surprise": true}"#, "surprise"),
        ("BeginTransmitting", #"{"source": "userRequest"}"#, "origin"),
        ("EndTransmitting", #"{"origin": []}"#, "origin"),
    ])
    @EventLoop func `a wrong parameter is named in the error`(
        method: String,
        parameters: String,
        wrong: String
    )
        async throws
    {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        let object = try #require(try JSON(parsing: parameters).object)
        do {
            _ = try await client.client.call("\(ChannelInterface.name).\(method)", JSONText(object))
            Issue.record("it was accepted")
        } catch VarlinkCallError.answered(let error) {
            #expect(error.name == "org.varlink.service.InvalidParameter")
            #expect(error.parameters["parameter"]?.string?.hasPrefix(wrong) == true)
        }
        #expect(try await client.status().channel == nil)
    }

    @Test @EventLoop func `an audio connection with a wrong token is closed, and the core keeps running`()
        async throws
    {
        let core = try await CoreFixture.start()
        let audio = try core.attachAudio("0123")
        _ = try await core.process.lines.first { $0.contains("an unknown token") }
        #expect(try await core.connect().status().audio == .inactive)
        _ = consume audio
    }

    @Test @EventLoop func `values that this core does not have are read as unknown`() async throws {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        _ = try await client.join()
        let origin: JSONObject = ["kind": "telepathy", "identifier": "1", "name": "Mind"]
        do {
            _ = try await client.client.call(
                "\(ChannelInterface.name).BeginTransmitting",
                ["source": "wish", "origin": .object(origin)]
            )
            Issue.record("it began without a sound server")
        } catch VarlinkCallError.answered(let error) {
            #expect(error.name == ChannelInterface.refused)
        }
    }

    @Test @EventLoop func `a peer that repeats its mistakes does not fill the log`() async throws {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        for _ in 0..<100 {
            _ = try await client.join()
            _ = try await refusal { _ = try await client.begin() }
            try await client.leave()
            let stranger = try UnixSocket.connect(to: core.directory + "/pushtotalk/core", .stream)
            let text: [UInt8] = [UInt8(ascii: "}"), 0]
            #expect(send(stranger.value, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
            _ = try core.attachAudio("0123")
        }
        #expect(try await core.linesUntilStopped() <= 50)
    }

    @Test @EventLoop func `presses without a microphone do not fill the log`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound, configuration: "microphone = \"nothing\"")
        let (client, observer) = (try core.connect(), try core.connect())
        try await observer.audioServerIsReady(try await observer.subscribe())
        _ = try await client.join()
        for _ in 0..<60 {
            _ = try await client.begin()
            #expect(try await observer.nextEnd() == .noMicrophone)
            // As a button that is released.
            _ = try await refusal { try await client.end() }
        }
        #expect(try await core.linesUntilStopped() <= 50)
    }
}

extension CoreFixture {
    fileprivate func linesUntilStopped() async throws -> Int {
        process.signal(SIGTERM)
        #expect(try await process.exitStatus() == 0)
        return try await process.lines.untilEnd(within: .seconds(10)).count
    }
}

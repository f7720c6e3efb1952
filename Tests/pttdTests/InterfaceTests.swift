import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing

/// The interfaces of a running core, parsed by two other implementations of Varlink.
@Suite(.serialized) struct InterfaceTests {
    private static let names = [ChannelInterface.name, ApplicationInterface.name, PushInterface.name]

    init() { withRunningLoop() }

    @Test @EventLoop func `the reference implementation in Python parses all interfaces and calls them`()
        async throws
    {
        let core = try await CoreFixture.start()
        let script = #"""
            import sys, varlink
            client = varlink.Client("unix:" + sys.argv[1])
            for name in sys.argv[2:]:
                with client.open(name) as connection:
                    print("read", name)
            with client.open("org.pushtotalk.Channel") as connection:
                print("limit", connection.GetStatus()["status"]["timeLimit"])
            """#
        let python = try await PythonVarlink.installed()
        let arguments = ["-c", script, core.directory + "/pushtotalk/core"] + Self.names
        let (status, lines) = try await python.python(arguments).output()
        #expect(status == 0 && lines == Self.names.map { "read \($0)" } + ["limit 60"], "\(lines)")
    }

    @Test @EventLoop func `systemd's implementation parses all interfaces and accepts each reply`()
        async throws
    {
        let varlinkctl = try await available()
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let address = "unix:" + core.directory + "/pushtotalk/core"
        for name in Self.names {
            let (status, lines) = try await varlinkctl.run("introspect", address, name).output()
            #expect(status == 0 && lines.contains("interface \(name)"), "\(lines)")
        }
        let subscriber = try varlinkctl.run(
            "--more",
            "-j",
            "call",
            address,
            "\(ChannelInterface.name).Subscribe",
            "{}"
        )
        let attached = try varlinkctl.run(
            "--more",
            "-j",
            "call",
            address,
            "\(ApplicationInterface.name).Attach",
            #"{"identifier": "org.example.Other", "name": "Other", "isForeground": true}"#
        )
        for program in [subscriber, attached] {
            #expect(try await program.lines.next().contains("\"sequence\":"))
        }
        try await callMethods(of: core)
        let status = try await varlinkctl.run(
            "-j",
            "call",
            address,
            "\(ChannelInterface.name).GetStatus",
            "{}"
        )
        .output()
        #expect(status.status == 0, "\(status)")
        for program in [subscriber, attached] {
            var kinds: [String] = []
            while kinds.last != "audioDeactivated" {
                let line = try await program.lines.next()
                // Each document of a sequence begins with this character (RFC 7464).
                let document = line.trimmingPrefix("\u{1E}")
                let event = try JSON(parsing: String(document)).object?["event"]?.object
                kinds.append(try #require(event?["kind"]?.string, "\(line)"))
            }
            #expect(
                kinds.contains("channelJoined") && kinds.contains("participantChanged")
                    && kinds.contains("transmissionEnded")
            )
        }
    }

    /// A sequence of calls with every kind of value.
    @EventLoop
    private func callMethods(of core: CoreFixture) async throws {
        let picture = try Image([0x89, 0x50, 0x4E, 0x47]).base64
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers, image: picture)
        try await application.calls.call(
            ApplicationInterface.setTransmissionMode,
            ApplicationInterface.TransmissionModeRequest(channelID: nil, mode: .fullDuplex)
        )
        try await application.calls.call(
            ApplicationInterface.setAccessoryEventsEnabled,
            ApplicationInterface.AccessoryEventsRequest(channelID: nil, isEnabled: true)
        )
        try await application.setParticipant("Ana", image: picture)
        _ = try await application.calls.begin()
        _ = try await application.events.first { $0 == .audioActivated }
        try await application.calls.end()
        try await application.setParticipant(nil)
        _ = try await application.events.first { $0 == .audioDeactivated }
    }

    @EventLoop
    private func available() async throws -> Varlinkctl {
        do {
            return try await Varlinkctl.fetched()
        } catch let error as Varlinkctl.Missing {
            print("skipped: \(error)")
            try Test.cancel("\(error)")
        }
    }
}

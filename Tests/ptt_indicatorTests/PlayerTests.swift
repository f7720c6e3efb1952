import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The media player of the built indicator, as lock screens see it.
@Suite(.timeLimit(.minutes(2)))
struct PlayerTests {
    nonisolated static let name = "org.mpris.MediaPlayer2.pushtotalk"

    init() { withRunningLoop() }

    @Test @EventLoop func `the player is there while somebody speaks, and says who`() async throws {
        let fixture = try await IndicatorFixture.start(
            configuration: "lock-screen = \"media\""
        )
        let desktop = try await BusConnection.open(.address(fixture.bus.address))
        let owners = AsyncQueue(of: Bool.self)
        let watch = desktop.watchName(Self.name) { owners.add($0 != nil) }
        #expect(try await owners.next() == false)
        try await fixture.speak("Anna")
        #expect(try await owners.next() == true)
        let properties = try await desktop.call(Self.properties).first?.asProperties ?? [:]
        #expect(properties["PlaybackStatus"]?.asString == "Playing")
        // Without the second, KDE's lock screen shows buttons that cannot be pressed.
        #expect(properties["CanPause"]?.asBool == true)
        #expect(properties["CanControl"]?.asBool == true)
        let metadata = properties["Metadata"]?.asProperties
        #expect(metadata?["xesam:title"]?.asString == "Anna speaks")
        #expect(metadata?["xesam:artist"]?.asStrings == ["Radio"])
        try await fixture.speak(nil)
        #expect(try await owners.next() == false)
        watch.cancel()
    }

    @Test @EventLoop func `Play never opens a microphone, and Stop closes it`() async throws {
        let fixture = try await IndicatorFixture.start(configuration: "lock-screen = \"media\"")
        let desktop = try await BusConnection.open(.address(fixture.bus.address))
        let owners = AsyncQueue(of: Bool.self)
        let watch = desktop.watchName(Self.name) { owners.add($0 != nil) }
        try await fixture.speak("Anna")
        _ = try await owners.first { $0 }
        for command in ["Play", "PlayPause", "Pause", "Stop", "Next", "Previous"] {
            _ = try await desktop.call(Self.command(command))
        }
        try await fixture.speak(nil)
        for command in ["Pause", "PlayPause", "Stop"] {
            try await fixture.begin()
            // The first one: no player's command has begun another.
            #expect(try await fixture.nextBegin().kind == .commandLine)
            _ = try await owners.first { $0 }
            _ = try await desktop.call(Self.command("Play"))
            _ = try await desktop.call(Self.command(command))
            #expect(try await fixture.nextEnd() == .stopped)
            _ = try await owners.first { !$0 }
        }
        try await fixture.isNotRecorded()
        watch.cancel()
    }

    @Test @EventLoop func `a player whose name another program has is there when that one has ended`()
        async throws
    {
        let fixture = try await IndicatorFixture.start(configuration: "lock-screen = \"media\"")
        let other = try await BusConnection.open(.address(fixture.bus.address))
        #expect(try await other.requestName(Self.name))
        let former = other.uniqueName
        let desktop = try await BusConnection.open(.address(fixture.bus.address))
        let owners = AsyncQueue(of: Bool.self)
        let watch = desktop.watchName(Self.name) { owners.add($0 != nil && $0 != former) }
        try await fixture.speak("Anna")
        _ = try await fixture.indicator.lines.first { $0.contains("another program has the name") }
        other.close()
        _ = try await owners.first { $0 }
        let properties = try await desktop.call(Self.properties).first?.asProperties
        #expect(properties?["PlaybackStatus"]?.asString == "Playing")
        watch.cancel()
    }

    @Test @EventLoop func `nobody has a player who did not ask for one`() async throws {
        let fixture = try await IndicatorFixture.start()
        let portal = try await ScriptedPortal.start(fixture.bus.address)
        try await fixture.speak("Anna")
        // It has had the time.
        _ = try await portal.binding()
        let desktop = try await BusConnection.open(.address(fixture.bus.address))
        let error = await #expect(throws: BusError.self) { try await desktop.call(Self.properties) }
        #expect(error?.kind == .serviceUnknown)
    }

    private static let properties = RemoteInterface(
        service: name,
        path: "/org/mpris/MediaPlayer2",
        name: "org.mpris.MediaPlayer2.Player"
    ).getAll()

    private static func command(_ member: String) -> MethodCall {
        RemoteInterface(service: name, path: "/org/mpris/MediaPlayer2", name: "org.mpris.MediaPlayer2.Player")
            .call(member)
    }
}

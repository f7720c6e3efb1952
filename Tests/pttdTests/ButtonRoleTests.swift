import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// The buttons of an accessory, with a real sound server and an attached application.
@Suite(.serialized) struct ButtonRoleTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `an emergency closes the speaker and opens the microphone while a participant talks in half duplex`()
        async throws
    {
        let fixture = try await RoleFixture.start()
        try await fixture.application.setParticipant("Ana")
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        let talk = try await refusal { _ = try await fixture.accessoryd.begin() }
        #expect(talk.code == .transmissionNotAllowed)
        try await fixture.begin(.emergency)
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        #expect(try await fixture.sound.sourceOutputs().count == 1)
        #expect(try await fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
        let status = try await fixture.accessoryd.status()
        #expect(status.transmission?.role == .emergency && status.channel?.participant?.name == "Ana")
        try await fixture.end(.emergency)
        #expect(try await fixture.watcher.nextEnd() == .released)
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        #expect(try await !fixture.sound.pactl("list", "short", "sink-inputs").isEmpty)
    }

    @Test @EventLoop func `an emergency ends the transmission of another button, and its microphone closes`()
        async throws
    {
        let fixture = try await RoleFixture.start()
        _ = try await fixture.accessoryd.begin(.other)
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        try await fixture.begin(.emergency)
        #expect(try await fixture.watcher.nextEnd() == .preempted)
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        #expect(try await fixture.sound.sourceOutputs().count == 1)
        _ = try await refusal { try await fixture.accessoryd.end(.other) }
        _ = try await refusal { try await fixture.end(.talk) }
        #expect(try await fixture.accessoryd.status().transmission?.role == .emergency)
        // The connection that holds it is lost.
        fixture.accessoryd.close()
        #expect(try await fixture.watcher.nextEnd() == .connectionLost)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `the emergency button begins after its talk button was held too long, and once`()
        async throws
    {
        let fixture = try await RoleFixture.start(configuration: "time-limit = 1")
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.watcher.nextEnd() == .timeLimit)
        _ = try await refusal { _ = try await fixture.accessoryd.begin() }
        try await fixture.begin(.emergency)
        #expect(try await fixture.watcher.nextEnd() == .timeLimit)
        _ = try await refusal { try await fixture.begin(.emergency) }
        _ = try await refusal { try await fixture.end(.talk) }
        _ = try await refusal { try await fixture.begin(.emergency) }
        _ = try await refusal { try await fixture.end(.emergency) }
        try await fixture.begin(.emergency)
        #expect(try await fixture.sound.sourceOutputs().count <= 1)
    }

    @Test @EventLoop
    func `a button that does not transmit reaches the application, and is released with its connection`()
        async throws
    {
        let fixture = try await RoleFixture.start()
        try await fixture.report(.channelUp, isPressed: true)
        try await fixture.report(.multifunction, isPressed: true)
        try await fixture.report(.channelUp, isPressed: false)
        fixture.accessoryd.close()
        let events = try await fixture.application.next(4)
        #expect(
            events == [
                .buttonPressed(origin: .button, role: .channelUp),
                .buttonPressed(origin: .button, role: .multifunction),
                .buttonReleased(origin: .button, role: .channelUp),
                .buttonReleased(origin: .button, role: .multifunction),
            ]
        )
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `no role makes a request that is refused begin`() async throws {
        let fixture = try await RoleFixture.start()
        for role in [JSON.string("channelUp"), "multifunction", "unknown", "panic", ""] {
            let refused = try await refusal { try await fixture.beginRaw(role) }
            #expect(refused.code == .unknown, "\(role)")
        }
        for role in [JSON.int(1), true, [], ["emergency"]] {
            await #expect(throws: VarlinkCallError.self, "\(role)") { try await fixture.beginRaw(role) }
        }
        for role in [ButtonRole.talk, .emergency, .unknown] {
            _ = try await refusal { try await fixture.report(role, isPressed: true) }
        }
        #expect(try await fixture.accessoryd.status().transmission == nil)
        fixture.application.die()
        _ = try await fixture.watcher.events.first { $0 == .applicationDetached }
        let refused = try await refusal { try await fixture.report(.channelUp, isPressed: true) }
        #expect(refused.reason.contains("is not running"))
        try await fixture.report(.channelUp, isPressed: false)
    }

    /// Pressed by hundreds of origins: the application holds no more than the limit, and each has its
    /// release.
    @Test @EventLoop func `a flood of buttons is bounded, and each has its release`() async throws {
        let fixture = try await RoleFixture.start()
        for number in 0..<200 {
            let origin = Origin(kind: .inputDevice, identifier: "\(number)", name: "Pad")
            try await fixture.report(.multifunction, isPressed: true, origin)
        }
        fixture.accessoryd.close()
        var held: Set<Origin> = []
        var most = 0
        for event in try await fixture.application.next(400) {
            switch event {
            case .buttonPressed(let origin, .multifunction): held.insert(origin)
            case .buttonReleased(let origin, .multifunction): #expect(held.remove(origin) != nil)
            default: Issue.record("\(event)")
            }
            most = max(most, held.count)
        }
        #expect(held.isEmpty && most <= 64)
    }
}

/// A core with an application that has joined, a subscriber, and an accessory with several buttons.
@EventLoop
private struct RoleFixture {
    let sound: PrivateAudioServer
    let core: CoreFixture
    let application: AttachedApplication
    let watcher: CoreClient
    let accessoryd: CoreClient

    static func start(configuration: String? = nil) async throws -> RoleFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound, configuration: configuration)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        _ = try await application.next(1)
        return RoleFixture(
            sound: sound,
            core: core,
            application: application,
            watcher: watcher,
            accessoryd: try core.connect()
        )
    }

    func begin(_ role: ButtonRole) async throws {
        try await accessoryd.call(
            ChannelInterface.beginTransmitting,
            ChannelInterface.BeginRequest(
                channelID: nil,
                source: .handsfreeButton,
                origin: .button,
                role: role
            )
        )
    }

    func beginRaw(_ role: JSON) async throws {
        let origin: JSON = ["kind": "bluetoothButton", "identifier": "x", "name": "x"]
        _ = try await accessoryd.client.call(
            ChannelInterface.beginTransmitting.qualifiedName,
            ["source": "handsfreeButton", "origin": origin, "role": role]
        )
    }

    func end(_ role: ButtonRole) async throws {
        try await accessoryd.call(
            ChannelInterface.endTransmitting,
            ChannelInterface.EndRequest(channelID: nil, origin: .button, cause: .released, role: role)
        )
    }

    func report(_ role: ButtonRole, isPressed: Bool, _ origin: Origin = .button) async throws {
        try await accessoryd.call(
            ChannelInterface.reportButton,
            ChannelInterface.ButtonReport(channelID: nil, origin: origin, role: role, isPressed: isPressed)
        )
    }
}

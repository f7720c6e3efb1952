import DBus
import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// A built `ptt-indicator` between a real `pttd`, with a channel and its application, and a session bus with
/// a panel.
@EventLoop
final class IndicatorFixture {
    let bus: PrivateBus
    let core: CoreProcess
    let panel: ScriptedPanel
    /// The events of the core.
    let events = AsyncQueue(of: CoreEvent.self)
    let channelID: ChannelID
    private(set) var indicator: TestProcess
    private let sound: PrivateAudioServer?
    private let application: VarlinkClient
    private let calls: VarlinkClient
    private let subscription: VarlinkClient

    /// - Parameters:
    ///   - hasSound: True if there is a sound server, without which nothing can be transmitted.
    ///   - hasPanel: True if a panel shows tray items.
    ///   - name: Of the channel.
    ///   - configuration: The text of `indicator.toml`; no file if nil.
    ///   - coreConfiguration: The text of `pttd.toml`; none if nil.
    ///   - systemBus: The address of the system bus; none runs if nil.
    ///   - language: The person's language; English if nil.
    /// - Returns: The indicator, whose item shows the channel to the panel.
    /// - Throws: If something of it cannot be started.
    static func start(
        hasSound: Bool = true,
        hasPanel: Bool = true,
        channel name: String = "Radio",
        configuration: String? = nil,
        core coreConfiguration: String? = nil,
        systemBus: String? = nil,
        language: Catalogue? = nil
    ) async throws -> IndicatorFixture {
        let sound = hasSound ? try await PrivateAudioServer.start(.pulseAudio) : nil
        let bus = try await PrivateBus.start()
        let files = ["indicator.toml": configuration, "pttd.toml": coreConfiguration].compactMapValues(\.self)
        let core = try CoreProcess(soundServer: sound?.address, configuration: files)
        try await core.isReady()
        let panel = try await ScriptedPanel.start(bus.address, hasHost: hasPanel)
        let fixture = try await IndicatorFixture(
            bus,
            core,
            panel,
            sound: sound,
            channel: name,
            systemBus: systemBus,
            language: language
        )
        try await panel.registration()
        try await panel.showsChannel()
        return fixture
    }

    private init(
        _ bus: PrivateBus,
        _ core: CoreProcess,
        _ panel: ScriptedPanel,
        sound: PrivateAudioServer?,
        channel name: String,
        systemBus: String?,
        language: Catalogue?
    ) async throws {
        (self.bus, self.core, self.panel, self.sound) = (bus, core, panel, sound)
        let path = core.directory + "/pushtotalk/core"
        subscription = try VarlinkClient(connectingTo: path)
        application = try VarlinkClient(connectingTo: path)
        calls = try VarlinkClient(connectingTo: path)
        let tokens = AsyncQueue(of: String.self)
        let request = ApplicationInterface.AttachRequest(
            identifier: ApplicationID(rawValue: "org.example.App"),
            name: "App",
            isForeground: true
        )
        application.subscribe(ApplicationInterface.attach.qualifiedName, .encoding(request)) { answer, _ in
            // Updates with an event have no attachment.
            guard let update = try? answer.get().decode(ApplicationInterface.Update.self),
                let attachment = update.attachment
            else { return }
            tokens.add(attachment.callToken)
        }
        try await Self.call(
            calls,
            ApplicationInterface.useAttachment,
            ApplicationInterface.UseAttachmentRequest(callToken: try await tokens.next())
        )
        let join = ChannelInterface.JoinRequest(channelID: nil, name: name, application: nil)
        channelID = try await Self.call(calls, ChannelInterface.join, join).channelID
        let events = events
        let ready = AsyncQueue(of: Bool.self)
        subscription.subscribe(ChannelInterface.subscribe.qualifiedName) { answer, _ in
            // The end of the subscription has no update.
            guard let update = try? answer.get().decode(ChannelInterface.Update.self) else { return }
            if let status = update.status { ready.add(status.isAudioServerReady) }
            if let event = update.event { events.add(event) }
        }
        if try await !ready.next(), sound != nil { _ = try await events.first { $0 == .audioServerReady } }
        indicator = try Self.launch(in: core.directory, bus.address, systemBus: systemBus, language: language)
    }

    /// Starts it again, after ``indicator`` has ended.
    func startIndicator() throws { indicator = try Self.launch(in: core.directory, bus.address) }

    static func launch(
        in directory: String,
        _ bus: String,
        systemBus: String? = nil,
        language: Catalogue? = nil
    ) throws -> TestProcess {
        try TestProcess(
            [TestProcess.built("ptt-indicator")],
            environment: [
                "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config",
                "DBUS_SESSION_BUS_ADDRESS": bus, "PTT_LOG": "debug",
                "DBUS_SYSTEM_BUS_ADDRESS": systemBus ?? "unix:path=\(directory)/no-bus",
            ].merging(language?.environment ?? [:]) { $1 },
            mergesErrors: true
        )
    }

    @discardableResult
    private static func call<Request, Reply>(
        _ client: VarlinkClient,
        _ method: InterfaceMethod<Request, Reply>,
        _ request: Request
    ) async throws -> Reply {
        try await client.call(method.qualifiedName, .encoding(request)).decode()
    }

    /// Calls the core as the application of the channel.
    @discardableResult
    func call<Request, Reply>(_ method: InterfaceMethod<Request, Reply>, _ request: Request) async throws
        -> Reply
    {
        try await Self.call(calls, method, request)
    }

    func rename(_ name: String) async throws {
        let request = ChannelInterface.DescriptorRequest(channelID: channelID, name: name)
        try await call(ChannelInterface.setDescriptor, request)
    }

    /// Lets a person speak at the other end; nil lets nobody speak.
    func speak(_ name: String?, image: String? = nil) async throws {
        try await call(
            ApplicationInterface.setActiveRemoteParticipant,
            ApplicationInterface.ParticipantRequest(
                channelID: channelID,
                participant: name.map { ApplicationInterface.Speaker(name: $0, image: image) }
            )
        )
    }

    func setMode(_ mode: TransmissionMode) async throws {
        try await call(
            ApplicationInterface.setTransmissionMode,
            ApplicationInterface.TransmissionModeRequest(channelID: channelID, mode: mode)
        )
    }

    func status() async throws -> Status {
        try await call(ChannelInterface.getStatus, NoParameters()).status
    }

    /// Leaves the channel while a program records from the Push-to-Talk Microphone; the panel shows that when
    /// it returns.
    func call() async throws -> CallApplication {
        let sound = try #require(sound)
        try await until { try await status().virtualMicrophone.isPresent }
        let call = try CallApplication(sound)
        _ = try await events.first {
            guard case .virtualMicrophoneChanged(.recorded) = $0 else { return false }
            return true
        }
        try await leave()
        try await until { try await panel.properties()["Title"]?.asString == "Push to talk" }
        return call
    }

    /// Leaves the channel, as its application.
    func leave() async throws {
        try await call(ChannelInterface.leave, ChannelInterface.LeaveRequest(channelID: channelID))
    }

    static let commandLine = Origin(kind: .commandLine, identifier: "test", name: "test")

    /// Begins a transmission, from the command line unless another origin is given.
    func begin(_ origin: Origin = commandLine) async throws {
        let request = ChannelInterface.BeginRequest(
            channelID: channelID,
            source: .userRequest,
            origin: origin
        )
        try await call(ChannelInterface.beginTransmitting, request)
    }

    /// Ends the transmission of ``begin()``.
    func end() async throws {
        let request = ChannelInterface.EndRequest(
            channelID: channelID,
            origin: Self.commandLine,
            cause: .released
        )
        try await call(ChannelInterface.endTransmitting, request)
    }

    /// Returns when the talk key is bound.
    func isBound() async throws {
        _ = try await indicator.lines.first { $0.contains("the talk key is bound") }
    }

    /// Returns when the indicator takes notice of a panel.
    func isSeen() async throws {
        _ = try await indicator.lines.first { $0.contains("watcherChanged(isThere: true)") }
    }

    /// Returns when no capture stream is left.
    func isNotRecorded() async throws {
        try await until { try await sound?.sourceOutputs().isEmpty != false }
    }

    /// The origin of the next transmission.
    func nextBegin() async throws -> Origin {
        try await events.firstValue {
            if case .transmissionBegan(let transmission) = $0 { transmission.origin } else { nil }
        }
    }

    /// The cause of the next end of a transmission.
    func nextEnd() async throws -> EndCause {
        try await events.firstValue {
            if case .transmissionEnded(_, let cause, _) = $0 { cause } else { nil }
        }
    }
}

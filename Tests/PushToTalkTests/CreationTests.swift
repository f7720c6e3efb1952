import EventLoop
import Foundation
import JSON
import PTTMessages
import PushToTalk
import ServiceClient
import TestSupport
import Testing
import Varlink

/// Accepts an attachment, and no other connection before that one has closed.
@EventLoop
private final class ScriptedCore {
    private let scratch: Scratch
    private var servers: [VarlinkServer] = []
    private var attachments: [VarlinkCall] = []

    /// - Throws: If it cannot listen.
    init() throws {
        scratch = try Scratch()
        let manifest = scratch.directory + "/manifest.toml"
        try """
        identifier = "org.example.Tests"
        name = "Tests"
        systemd-unit = "tests.service"
        push-environment = "local"
        """.write(toFile: manifest, atomically: true, encoding: .utf8)
        setenv("XDG_RUNTIME_DIR", scratch.directory, 1)
        setenv("PTT_MANIFEST", manifest, 1)
        try listen()
    }

    private func listen() throws {
        let interface = VarlinkInterface(
            """
            interface \(ApplicationInterface.name)
            method Attach() -> ()
            method UseAttachment() -> ()
            """,
            methods: [
                "Attach": { [weak self] in self?.attach($0) },
                "UseAttachment": { $0.reply() },
            ]
        )
        let info = VarlinkServiceInfo(vendor: "", product: "scripted core", version: "", url: "")
        let server = VarlinkServer(info, [interface]) { line, _ in print("scripted core: \(line)") }
        try server.listen(on: try RuntimeSocket.core.listen([]))
        servers.append(server)
    }

    private func attach(_ call: VarlinkCall) {
        attachments.append(call)
        if attachments.count == 1 {
            // A client that finds it nevertheless gets its manager, and the test fails.
            _ = unlink(scratch.directory + "/pushtotalk/core")
            call.connection.onClose { [weak self] in
                #expect(throws: Never.self) { try self?.listen() }
            }
        }
        let attachment = ApplicationInterface.Attachment(
            callToken: "call",
            audioToken: "audio",
            pushToken: PushToken(rawValue: "push"),
            format: .standard,
            restored: nil,
            isAudioServerReady: true
        )
        let update = ApplicationInterface.Update(sequence: 0, time: 0, attachment: attachment, event: nil)
        call.reply(.encoding(update), continues: true)
    }
}

/// A manager that is created while the core goes.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CreationTests {
    init() { withRunningLoop() }

    /// Semantics, “What a manager needs”.
    @EventLoop
    @Test func `a core that is gone after the attachment is why there is no manager`() async throws {
        let core = try ScriptedCore()
        let delegate = RecordingDelegate()
        do {
            _ = try await PTChannelManager.channelManager(
                delegate: delegate,
                restorationDelegate: delegate
            )
            Issue.record("a manager by another attachment")
        } catch {
            #expect((error as? PTInstantiationError)?.code == .invalidPlatform)
        }
        withExtendedLifetime(core) {}
    }
}

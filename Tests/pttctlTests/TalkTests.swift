import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Takes the place of `pttd` at its socket: it answers when the test says so.
@EventLoop
private final class LateCore {
    /// The `XDG_RUNTIME_DIR` of its clients.
    let directory: String
    private let scratch: Scratch
    private var server: VarlinkServer?
    private var subscription: VarlinkCall?
    private var beginning: VarlinkCall?

    init() throws {
        scratch = try Scratch()
        directory = scratch.directory
        try FileManager.default.createDirectory(
            atPath: directory + "/pushtotalk",
            withIntermediateDirectories: true
        )
        let interface = VarlinkInterface(
            """
            interface \(ChannelInterface.name)
            method Subscribe() -> ()
            method BeginTransmitting() -> ()
            """,
            methods: [
                "Subscribe": { [weak self] in self?.subscribe($0) },
                "BeginTransmitting": { [weak self] in self?.beginning = $0 },
            ]
        )
        let info = VarlinkServiceInfo(vendor: "", product: "late core", version: "", url: "")
        let server = VarlinkServer(info, [interface]) { line, _ in print("late core: \(line)") }
        try server.listen(on: try UnixSocket.listen(at: directory + "/pushtotalk/core", .stream))
        self.server = server
    }

    private func subscribe(_ call: VarlinkCall) {
        subscription = call
        let status = Status(timeLimit: 60)
        call.reply(
            .encoding(ChannelInterface.Update(sequence: 0, time: 0, status: status, event: nil)),
            continues: true
        )
    }

    /// True if a client waits for the beginning of its transmission, and for events.
    var isAsked: Bool { subscription != nil && beginning != nil }

    /// Publishes the end of the transmission that is asked for.
    func publishEnd() throws {
        let request = try #require(beginning).decode(ChannelInterface.BeginRequest.self)
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: request.source,
            origin: request.origin,
            began: 0
        )
        let end = CoreEvent.transmissionEnded(
            transmission: transmission,
            cause: .noMicrophone,
            endedBy: .unknown
        )
        subscription?.reply(
            .encoding(ChannelInterface.Update(sequence: 1, time: 0, status: nil, event: end)),
            continues: true
        )
    }

    /// Answers that it has begun.
    func answer() {
        beginning?.reply(
            .encoding(ChannelInterface.BeginReply(transmissionID: TransmissionID(rawValue: 1)))
        )
    }
}

/// The built `pttctl talk`.
@Suite struct TalkTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a transmission that ends before its beginning is answered ends the command`()
        async throws
    {
        let core = try LateCore()
        let talk = try TestProcess(
            [TestProcess.built("pttctl"), "talk"],
            environment: ["XDG_RUNTIME_DIR": core.directory],
            mergesErrors: true
        )
        try await until { core.isAsked }
        try core.publishEnd()
        _ = try await talk.lines.first { $0.contains("transmission ended") }
        core.answer()
        #expect(try await talk.exitStatus() == 1)
    }
}

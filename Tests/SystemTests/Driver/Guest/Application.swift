import EventLoop
import PTTMessages
import ServiceClient

/// An application that joined a channel and listens.
@EventLoop
final class Application {
    private(set) var packets = 0
    /// When the last of what it has got was captured.
    private(set) var lastCaptured = MonotonicTime(nanoseconds: 0)
    private let connection: ServiceConnection
    private let core: CoreWatch
    private var audio: AudioSocketClient?
    private var tone = ToneDetector()

    /// Joins a channel that has no application, or a new one.
    static func join(_ core: CoreWatch) async throws -> Application {
        let connection = try ServiceConnection.core()
        let orphan = core.status?.channel
        let reply = try await connection.join(
            ChannelInterface.JoinRequest(
                channelID: orphan?.channelID,
                name: orphan?.name ?? "System test",
                application: "ptt-system-tests"
            )
        )
        guard let token = reply.token else { throw Failure("the core gave no audio token") }
        let application = Application(connection, core)
        application.audio = try AudioSocketClient(token: token) { [weak application] header, samples in
            application?.hear(samples, at: header.timestamp)
        }
        try await until("the core tells that the application has joined") {
            core.status?.channel?.application != nil
        }
        return application
    }

    private init(_ connection: ServiceConnection, _ core: CoreWatch) {
        self.connection = connection
        self.core = core
    }

    func close() {
        audio?.close()
        connection.close()
    }

    /// Forgets what it has heard, then waits until it hears the tone that plays into the microphone.
    func hearsTone() async throws {
        tone = ToneDetector()
        _ = await Sightings.wait(patience) { [self] in tone.isHeard || core.status?.transmission == nil }
        guard !tone.isHeard else { return }
        let causes = core.events.compactMap { event in
            if case .transmissionEnded(_, let cause, _) = event { cause.rawValue } else { nil }
        }
        let end = core.status?.transmission == nil ? causes.last : nil
        throw Failure(
            "the application does not hear the tone, but \(tone.description)"
                + (end.map { "; the transmission has ended because of \($0)" } ?? "")
        )
    }

    private func hear(_ samples: ArraySlice<UInt8>, at time: MonotonicTime) {
        packets += 1
        lastCaptured = time
        tone.append(samples)
        Sightings.somethingHappened()
    }
}

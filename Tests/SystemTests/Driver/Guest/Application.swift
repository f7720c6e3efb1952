import EventLoop
import PTTMessages
import ServiceClient

/// An application that has joined a channel and receives its audio.
@EventLoop
final class Application {
    private(set) var packets = 0
    /// When the newest samples that it has received were captured.
    private(set) var lastCaptured = MonotonicTime(nanoseconds: 0)
    private let connection: ServiceConnection
    private let core: CoreSubscriber
    private var audio: AudioSocketClient?
    private var tone = ToneDetector()

    /// Joins a channel that has no application, or a new one.
    static func join(_ core: CoreSubscriber) async throws -> Application {
        let connection = try ServiceConnection.core()
        let orphan = core.status?.channel
        let reply = try await connection.join(
            ChannelInterface.JoinRequest(
                channelID: orphan?.channelID,
                name: orphan?.name ?? "System test",
                application: "ptt-system-tests"
            )
        )
        guard let token = reply.token else { throw Failure("the core returned no audio token") }
        let application = Application(connection, core)
        application.audio = try AudioSocketClient(token: token) { [weak application] header, samples in
            application?.receive(samples, at: header.timestamp)
        }
        try await until("the core reports that the application has joined") {
            core.status?.channel?.application != nil
        }
        return application
    }

    private init(_ connection: ServiceConnection, _ core: CoreSubscriber) {
        self.connection = connection
        self.core = core
    }

    func close() {
        audio?.close()
        connection.close()
    }

    /// Waits until it receives, from now on, the tone that plays into the microphone.
    func receivesTone() async throws {
        tone = ToneDetector()
        _ = await Conditions.wait(standardLimit) { [self] in
            tone.isDetected || core.status?.transmission == nil
        }
        guard !tone.isDetected else { return }
        let causes = core.events.compactMap { event in
            if case .transmissionEnded(_, let cause, _) = event { cause.rawValue } else { nil }
        }
        let end = core.status?.transmission == nil ? causes.last : nil
        throw Failure(
            "the application does not receive the tone, but \(tone.description)"
                + (end.map { "; the transmission has ended because of \($0)" } ?? "")
        )
    }

    private func receive(_ samples: ArraySlice<UInt8>, at time: MonotonicTime) {
        packets += 1
        lastCaptured = time
        tone.append(samples)
        Conditions.evaluate()
    }
}

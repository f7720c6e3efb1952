import EventLoop
import PTTMessages
import ServiceClient

/// An application that has joined a channel and receives the frames of its transmissions.
@EventLoop
final class SoundApplication {
    private let connection: ServiceConnection
    private var audio: AudioSocketClient?
    private var arrival: MonotonicInstant?
    private var waiting: CheckedContinuation<Void, Never>?

    static func join(_ buttons: ButtonStack) async throws -> SoundApplication {
        try await buttons.withSockets {
            let connection = try ServiceConnection.core()
            let reply = try await connection.join(
                ChannelInterface.JoinRequest(channelID: nil, name: "Benchmark", application: "Benchmark")
            )
            guard let token = reply.token else { throw Unmeasurable("the core gave no audio token") }
            return try SoundApplication(connection, token)
        }
    }

    private init(_ connection: ServiceConnection, _ token: String) throws {
        self.connection = connection
        audio = try AudioSocketClient(token: token) { [weak self] header, _ in
            // The first of a transmission.
            if header.sequence == 0 { self?.arrived() }
        }
    }

    func leave() async throws {
        try await connection.leave(nil)
        audio?.close()
        connection.close()
    }

    /// The arrival of the first frame of the transmission that has just begun.
    func firstFrame() async -> MonotonicInstant {
        while true {
            if let arrival {
                self.arrival = nil
                return arrival
            }
            await withCheckedContinuation { waiting = $0 }
        }
    }

    private func arrived() {
        arrival = .now
        waiting?.resume()
        waiting = nil
    }
}

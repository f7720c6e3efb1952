import EventLoop
import PTTMessages
import ServiceClient
import Varlink

/// Calls `pttd` while another process attacks it, and keeps the longest time until an answer.
@EventLoop
final class WellBehavedClient {
    /// It waits no longer for an answer.
    static let timeLimit = Duration.seconds(3)
    private static let rest = Duration.milliseconds(5)

    private let status: VarlinkClient
    private(set) var longest = Duration.zero
    private(set) var answers = 0

    init() throws {
        status = try VarlinkClient(connectingTo: RuntimeSocket.core.path)
    }

    func close() { status.close() }

    /// - Returns: True if the core has answered within ``timeLimit``.
    func ask(_ question: Attack.Question) async throws -> Bool {
        let time: Duration?
        switch question {
        case .status: time = await askStatus()
        case .audio: time = try await askAudio()
        }
        longest = max(longest, time ?? Self.timeLimit)
        if time != nil { answers += 1 }
        await pause(Self.rest)
        return time != nil
    }

    private func askStatus() async -> Duration? {
        let start = MonotonicInstant.now
        let answer: VarlinkClient.Answer = await withCheckedContinuation { continuation in
            status.call("org.pushtotalk.Channel.GetStatus", timeLimit: Self.timeLimit) {
                continuation.resume(returning: $0)
            }
        }
        guard case .success = answer else { return nil }
        return MonotonicInstant.now - start
    }

    // MARK: Audio

    /// Joins and opens the microphone, which may be slow, then connects to the audio socket, which must be
    /// fast.
    private func askAudio() async throws -> Duration? {
        let connection = try ServiceConnection.core()
        defer { connection.close() }
        do throws(ServiceError) {
            let request = ChannelInterface.JoinRequest(
                channelID: nil,
                name: "Bench",
                application: "org.example.bench"
            )
            let joined = try await connection.join(request)
            let origin = Origin(kind: .application, identifier: "bench", name: "Bench")
            _ = try await connection.call(
                ChannelInterface.beginTransmitting,
                .init(channelID: nil, source: .userRequest, origin: origin)
            )
            while try await connection.status().audio != .active { await pause(Self.rest) }
            let time = try await firstPacket(joined.token ?? "")
            try await connection.leave(nil)
            return time
        } catch {
            complain("the well-behaved client: \(error)")
            return nil
        }
    }

    private func firstPacket(_ token: String) async throws(ServiceError) -> Duration? {
        let start = MonotonicInstant.now
        let wait = PacketWait()
        while MonotonicInstant.now - start < Self.timeLimit {
            // Too many other connections wait to be accepted: the library retries as well.
            guard let link = try? AudioSocketClient(token: token, handler: { _, _ in wait.end(true) }) else {
                await pause(Self.rest)
                continue
            }
            defer { link.close() }
            return await wait.isOver(within: Self.timeLimit) ? MonotonicInstant.now - start : nil
        }
        return nil
    }
}

/// Ends once: when a packet has come, or too late.
@EventLoop
private final class PacketWait {
    private var continuation: CheckedContinuation<Bool, Never>?
    private var timer: TimerSource?

    func isOver(within limit: Duration) async -> Bool {
        await withCheckedContinuation {
            continuation = $0
            timer = TimerSource { [weak self] in self?.end(false) }
            timer?.arm(after: limit)
        }
    }

    func end(_ hasCome: Bool) {
        continuation?.resume(returning: hasCome)
        continuation = nil
        timer = nil
    }
}

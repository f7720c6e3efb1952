import FoundationEssentials
import SwiftProtobuf

@testable import MumbleCore

/// A session with a server that says what a real one says.
struct TestSession {
    var session: ServerSession
    var now = Duration.seconds(1000)
    var version: UInt32 = 1 << 16 | 3 << 8 | 4
    /// In bits per second.
    var bandwidth: UInt32 = 72_000

    init(_ address: String = "mumble://ann@host/Ops") throws {
        session = ServerSession(try ServerAddress(address))
        _ = session.start(now)
    }

    mutating func say(_ messages: ControlMessage...) -> [ServerSession.Effect] {
        session.received(messages.flatMap(\.encoded), now)
    }

    /// Connects, and has the server say everything up to its permission to enter.
    mutating func synchronise() -> [ServerSession.Effect] {
        _ = session.connected(now)
        let nonce = [UInt8](repeating: 0, count: 16)
        return say(
            .version(.with { $0.versionV1 = version }),
            .cryptSetup(
                .with {
                    $0.key = .init(nonce)
                    $0.clientNonce = .init(nonce)
                    $0.serverNonce = .init(nonce)
                }
            ),
            .channelState(.with { $0.channelID = 0 }),
            .channelState(
                .with {
                    $0.channelID = 3
                    $0.parent = 0
                    $0.name = "Ops"
                }
            ),
            .userState(
                .with {
                    $0.session = 9
                    $0.name = "ann"
                    $0.channelID = 0
                }
            ),
            .serverSync(
                .with {
                    $0.session = 9
                    $0.maxBandwidth = bandwidth
                }
            )
        )
    }

    mutating func enter() -> [ServerSession.Effect] {
        say(
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = 3
                }
            )
        )
    }

    mutating func join() {
        _ = synchronise()
        _ = enter()
        _ = say(.ping(WirePing()))
    }

    /// Calls the timer at each deadline until a time.
    mutating func run(_ duration: Duration) -> [(at: Duration, effect: ServerSession.Effect)] {
        let end = now + duration
        var effects: [(Duration, ServerSession.Effect)] = []
        while let deadline = session.deadline, deadline <= end {
            now = max(now, deadline)
            effects += session.timer(now).map { (now, $0) }
        }
        now = end
        return effects
    }

    /// As a server would read it.
    static func messages(_ effects: [ServerSession.Effect]) throws -> [ControlMessage] {
        var splitter = MessageSplitter()
        return try effects.flatMap { effect in
            if case .send(let bytes) = effect { try splitter.split(bytes) } else { [] as [ControlMessage] }
        }
    }

    static let packet = VoicePacket(number: 0, opus: [UInt8](repeating: 1, count: 80), isLast: false)
}

import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

/// A channel whose floor is granted before anything is sent. We are 9; of our programs there are 4 and 12,
/// and 20 is another one.
enum GrantedFloor {
    static func person(_ session: UInt32, isOurs: Bool = true, channel: UInt32 = 3) -> ControlMessage {
        .userState(
            .with {
                $0.session = session
                $0.name = "\(session)"
                $0.channelID = channel
                if isOurs { $0.comment = ServerSession.comment }
            }
        )
    }

    static func joined(_ sessions: [UInt32] = [4, 12], version: UInt32 = 1 << 16 | 4 << 8) throws
        -> TestSession
    {
        var test = try TestSession()
        test.version = version
        test.join()
        _ = test.say(
            .channelState(
                .with {
                    $0.channelID = 3
                    $0.description_p = "push-to-talk: granted-floor"
                }
            )
        )
        for session in sessions { _ = test.say(person(session)) }
        _ = test.say(person(20, isOurs: false))
        // The server counts the bandwidth from the beginning of the connection.
        _ = test.run(.seconds(5))
        _ = test.say(.ping(WirePing()))
        return test
    }

    static func floor(_ effects: [ServerSession.Effect]) throws -> [(to: UInt32, FloorMessage)] {
        try TestSession.messages(effects).compactMap {
            guard case .pluginData(let message) = $0 else { return nil }
            #expect(message.dataID == "org.pushtotalk.floor" && message.receiverSessions.count == 1)
            return (message.receiverSessions[0], try #require(FloorMessage(Array(message.data))))
        }
    }

    static func says(
        _ sender: UInt32,
        _ kind: FloorMessage.Kind,
        _ sequence: UInt32 = 1,
        holder: UInt32 = 0
    ) -> ControlMessage {
        let message = FloorMessage(kind: kind, sequence: sequence, holder: holder)
        return .pluginData(
            .with {
                $0.senderSession = sender
                $0.dataID = FloorMessage.identifier
                $0.data = Data(message.data)
            }
        )
    }

    /// One packet, in the older format.
    static func voice(_ session: UInt8) -> ControlMessage { .tunnel([0x80, session, 0, 1, 7]) }

    static func sent(_ effects: [ServerSession.Effect]) throws -> Int {
        try TestSession.messages(effects).count { if case .tunnel = $0 { true } else { false } }
    }
}

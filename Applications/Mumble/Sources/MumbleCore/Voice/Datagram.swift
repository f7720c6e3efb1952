import FoundationEssentials
import SwiftProtobuf

/// The content of a UDP packet, or of a message of the tunnel through TCP.
public enum Datagram: Hashable, Sendable {
    case voice(VoicePacket)
    /// The other end sends it back as it is.
    case ping(UInt64)

    /// A packet of Mumble is no longer.
    public static let longest = 1024
}

/// One Opus packet.
public struct VoicePacket: Hashable, Sendable {
    /// Who talks. Nil in what we send: the server knows.
    public var session: UInt32?
    /// The time of the packet within what this person says, in units of 10 milliseconds.
    public var number: UInt64
    public var opus: [UInt8]
    /// True if the person has stopped talking.
    public var isLast: Bool

    public init(session: UInt32? = nil, number: UInt64, opus: [UInt8], isLast: Bool) {
        self.session = session
        self.number = number
        self.opus = opus
        self.isLast = isLast
    }
}

/// How datagrams are written. A server of 1.5 or newer expects the newer format of a client that claims 1.5.
public enum VoiceFormat: Hashable, Sendable {
    case legacy
    case protobuf

    /// Opus, in the upper three bits of the first byte; the lower five are the target, 0 for the channel.
    private static let legacyOpus: UInt8 = 4 << 5
    private static let legacyPing: UInt8 = 1 << 5
    private static let legacyLengths = UInt64(0x1fff)
    private static let legacyLast = UInt64(0x2000)

    public func encode(_ datagram: Datagram) -> [UInt8] {
        switch (self, datagram) {
        case (.legacy, .ping(let timestamp)):
            return [Self.legacyPing] + MumbleInteger.encode(timestamp)
        case (.legacy, .voice(let packet)):
            let length = UInt64(packet.opus.count) | (packet.isLast ? Self.legacyLast : 0)
            let session = packet.session.map { MumbleInteger.encode(UInt64($0)) } ?? []
            return [Self.legacyOpus] + session + MumbleInteger.encode(packet.number)
                + MumbleInteger.encode(length) + packet.opus
        case (.protobuf, .ping(let timestamp)):
            return [1] + .encoding(WireUDPPing.with { $0.timestamp = timestamp })
        case (.protobuf, .voice(let packet)):
            let audio = WireAudio.with {
                if let session = packet.session { $0.senderSession = session } else { $0.target = 0 }
                $0.frameNumber = packet.number
                $0.opusData = .init(packet.opus)
                if packet.isLast { $0.isTerminator = true }
            }
            return [0] + .encoding(audio)
        }
    }

    /// Reads what a server sends.
    ///
    /// - Returns: Nil for what is damaged, too long, or of a kind that is not used: another codec, for
    ///   example.
    public func decode(_ bytes: [UInt8]) -> Datagram? {
        guard bytes.count <= Datagram.longest, let first = bytes.first else { return nil }
        let rest = bytes.dropFirst()
        switch self {
        case .legacy: return Self.legacy(first, rest)
        case .protobuf: return Self.protobuf(first, Array(rest))
        }
    }

    private static func legacy(_ first: UInt8, _ rest: ArraySlice<UInt8>) -> Datagram? {
        var rest = rest
        if first == legacyPing { return MumbleInteger.decode(&rest).map { .ping($0) } }
        guard first & 0xe0 == legacyOpus,
            let session = MumbleInteger.decode(&rest).flatMap({ UInt32(exactly: $0) }),
            let number = MumbleInteger.decode(&rest),
            let length = MumbleInteger.decode(&rest), length & legacyLengths <= rest.count
        else { return nil }
        // What follows is a position in a game.
        let opus = Array(rest.prefix(Int(length & legacyLengths)))
        return .voice(
            VoicePacket(session: session, number: number, opus: opus, isLast: length & legacyLast != 0)
        )
    }

    private static func protobuf(_ first: UInt8, _ rest: [UInt8]) -> Datagram? {
        // What cannot be parsed is damaged.
        switch first {
        case 0:
            guard let audio = try? WireAudio(serializedBytes: rest), audio.hasSenderSession else {
                return nil
            }
            return .voice(
                VoicePacket(
                    session: audio.senderSession,
                    number: audio.frameNumber,
                    opus: Array(audio.opusData),
                    isLast: audio.isTerminator
                )
            )
        case 1:
            return (try? WireUDPPing(serializedBytes: rest)).map { .ping($0.timestamp) }
        default:
            return nil
        }
    }
}

extension [UInt8] {
    static func encoding(_ message: some Message) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            // It throws for required fields, of which there are none, and beyond two gigabytes.
            preconditionFailure("\(error)")
        }
    }
}

import SwiftProtobuf

/// A message on the TCP connection, of the kinds that are used.
enum ControlMessage: Sendable, Equatable {
    case version(WireVersion)
    /// A datagram as it would be sent by UDP, unencrypted.
    case tunnel([UInt8])
    case authenticate(WireAuthenticate)
    case ping(WirePing)
    case reject(WireReject)
    case serverSync(WireServerSync)
    case channelRemove(WireChannelRemove)
    case channelState(WireChannelState)
    case userRemove(WireUserRemove)
    case userState(WireUserState)
    case textMessage(WireTextMessage)
    case permissionDenied(WirePermissionDenied)
    case cryptSetup(WireCryptSetup)
    case requestBlob(WireRequestBlob)
    case serverConfig(WireServerConfig)
    case pluginData(WirePluginDataTransmission)
    /// A kind that is not used.
    case other(UInt16)

    init(type: UInt16, content: [UInt8]) throws {
        switch type {
        case 0: self = .version(try WireVersion(serializedBytes: content))
        case 1: self = .tunnel(content)
        case 2: self = .authenticate(try WireAuthenticate(serializedBytes: content))
        case 3: self = .ping(try WirePing(serializedBytes: content))
        case 4: self = .reject(try WireReject(serializedBytes: content))
        case 5: self = .serverSync(try WireServerSync(serializedBytes: content))
        case 6: self = .channelRemove(try WireChannelRemove(serializedBytes: content))
        case 7: self = .channelState(try WireChannelState(serializedBytes: content))
        case 8: self = .userRemove(try WireUserRemove(serializedBytes: content))
        case 9: self = .userState(try WireUserState(serializedBytes: content))
        case 11: self = .textMessage(try WireTextMessage(serializedBytes: content))
        case 12: self = .permissionDenied(try WirePermissionDenied(serializedBytes: content))
        case 15: self = .cryptSetup(try WireCryptSetup(serializedBytes: content))
        case 23: self = .requestBlob(try WireRequestBlob(serializedBytes: content))
        case 24: self = .serverConfig(try WireServerConfig(serializedBytes: content))
        case 26: self = .pluginData(try WirePluginDataTransmission(serializedBytes: content))
        default: self = .other(type)
        }
    }

    /// The message with its header: type and length, big-endian.
    var encoded: [UInt8] {
        let (type, content) = parts
        return withUnsafeBytes(of: type.bigEndian) { Array($0) }
            + withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) } + content
    }

    private var parts: (type: UInt16, content: [UInt8]) {
        switch self {
        case .version(let message): (0, .encoding(message))
        case .tunnel(let datagram): (1, datagram)
        case .authenticate(let message): (2, .encoding(message))
        case .ping(let message): (3, .encoding(message))
        case .reject(let message): (4, .encoding(message))
        case .serverSync(let message): (5, .encoding(message))
        case .channelRemove(let message): (6, .encoding(message))
        case .channelState(let message): (7, .encoding(message))
        case .userRemove(let message): (8, .encoding(message))
        case .userState(let message): (9, .encoding(message))
        case .textMessage(let message): (11, .encoding(message))
        case .permissionDenied(let message): (12, .encoding(message))
        case .cryptSetup(let message): (15, .encoding(message))
        case .requestBlob(let message): (23, .encoding(message))
        case .serverConfig(let message): (24, .encoding(message))
        case .pluginData(let message): (26, .encoding(message))
        case .other(let type): (type, [])
        }
    }
}

/// Splits what comes from a server into messages.
struct MessageSplitter: Sendable {
    /// The longest message that is read. Of what is used, texts and pictures are the longest, which a server
    /// limits to 128 KiB if nobody has told it otherwise. Longer ones are passed over: members cause them.
    static let longest = 512 * 1024
    /// Mumble's own limit.
    static let longestPassed = 8 * 1024 * 1024

    private static let headerSize = 6

    enum Failure: Error, Hashable, CustomStringConvertible {
        case tooLong(type: UInt16, length: UInt32)
        case damaged(type: UInt16)

        var description: String {
            switch self {
            case .tooLong(_, let length): "a message of \(length) bytes"
            case .damaged(let type): "a message of type \(type) that cannot be read"
            }
        }
    }

    private var buffer: [UInt8] = []
    /// How much is to come of a message that is passed over.
    private var passed = 0

    /// - Returns: The messages that `bytes` complete.
    /// - Throws: ``Failure``; nothing after it makes sense.
    mutating func split(_ bytes: some Collection<UInt8>) throws(Failure) -> [ControlMessage] {
        let dropped = min(passed, bytes.count)
        passed -= dropped
        buffer += bytes.dropFirst(dropped)
        var messages: [ControlMessage] = []
        var start = 0
        while buffer.count - start >= Self.headerSize {
            let type = buffer[start..<start + 2].reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            let length = buffer[start + 2..<start + Self.headerSize].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            guard length <= Self.longestPassed else { throw .tooLong(type: type, length: length) }
            let end = start + Self.headerSize + Int(length)
            if length > Self.longest {
                start = min(end, buffer.count)
                passed = end - start
                continue
            }
            guard end <= buffer.count else { break }
            do {
                let content = Array(buffer[(start + Self.headerSize)..<end])
                messages.append(try ControlMessage(type: type, content: content))
            } catch {
                // What the parser says is about bytes, and of no use to people.
                throw .damaged(type: type)
            }
            start = end
        }
        buffer.removeFirst(start)
        return messages
    }
}

/// Encrypts and decrypts the packets of one connection, and refuses those that it has seen.
///
/// A packet is the lowest byte of its nonce, the first three bytes of its tag, and the encrypted bytes. A
/// nonce is a little-endian number that each packet increases by one.
public struct PacketCipher: Sendable {
    /// Bytes of a packet that are not its text.
    public static let overhead = 4

    /// How far a packet may come behind the newest one.
    private static let window = 30

    private let cipher: OCB2
    private var sent: UInt128
    /// The highest nonce of a genuine packet.
    private var received: UInt128
    /// Bit n: the nonce `received - n` has been seen.
    private var history: UInt32 = 1

    /// - Parameters:
    ///   - key: 16 bytes, as the nonces; nil otherwise.
    ///   - clientNonce: Of the last packet that we sent.
    ///   - serverNonce: Of the last packet that the server sent.
    public init?(key: [UInt8], clientNonce: [UInt8], serverNonce: [UInt8]) {
        guard let cipher = OCB2(key: key), clientNonce.count == OCB2.blockSize,
            serverNonce.count == OCB2.blockSize
        else { return nil }
        self.cipher = cipher
        sent = UInt128(littleEndianBytes: clientNonce)
        received = UInt128(littleEndianBytes: serverNonce)
    }

    /// Of the last packet that was sent: what the other end asks for when it has lost count.
    public var clientNonce: [UInt8] { sent.littleEndianBytes }

    /// Goes on from where the server is.
    ///
    /// - Returns: False unless the nonce has 16 bytes.
    public mutating func resynchronise(serverNonce: [UInt8]) -> Bool {
        guard serverNonce.count == OCB2.blockSize else { return false }
        received = UInt128(littleEndianBytes: serverNonce)
        history = 1
        return true
    }

    public mutating func seal(_ text: [UInt8]) -> [UInt8] {
        sent &+= 1
        let (bytes, tag) = cipher.seal(text, nonce: Self.block(sent))
        return [UInt8(truncatingIfNeeded: sent)] + tag.bigEndianBytes.prefix(3) + bytes
    }

    /// - Returns: Nil if the packet is forged or damaged, older than the window, or one that was opened
    ///   before.
    public mutating func open(_ packet: [UInt8]) -> [UInt8]? {
        guard packet.count >= Self.overhead, let nonce = nonce(packet[0]),
            let (text, tag) = cipher.open(Array(packet.dropFirst(Self.overhead)), nonce: Self.block(nonce)),
            tag.bigEndianBytes.prefix(3).elementsEqual(packet[1..<Self.overhead])
        else { return nil }
        let ahead = nonce &- received
        // Behind, this is a negative number.
        if ahead <= UInt128(UInt8.max) {
            history = (ahead < 32 ? history << UInt32(ahead) : 0) | 1
            received = nonce
        } else {
            history |= 1 << UInt32(received &- nonce)
        }
        return text
    }

    /// - Returns: The nonce with this lowest byte that is nearest, but no more than the window behind; nil if
    ///   it has been seen.
    private func nonce(_ low: UInt8) -> UInt128? {
        let behind = Int(UInt8(truncatingIfNeeded: received) &- low)
        guard behind < Self.window else { return received &+ UInt128(256 - behind) }
        return history >> UInt32(behind) & 1 == 1 ? nil : received &- UInt128(behind)
    }

    /// The bytes of a nonce in their order, as the mode takes them.
    private static func block(_ nonce: UInt128) -> OCB2.Block { nonce.byteSwapped }
}

/// The way of voice by UDP. Voice goes through the TCP connection until a ping by UDP is answered, and again
/// when one is not.
struct DatagramPath: Sendable {
    /// How long a ping may take. Until then voice may be lost, so it is short.
    static let answerLimit = Duration.seconds(2)
    /// How long nothing can be decrypted before the nonces are taken to have come apart, and between
    /// requests.
    static let resynchronisation = Duration.seconds(5)

    private var cipher: PacketCipher
    /// True if the last ping was answered.
    private(set) var isProven = false
    /// When the ping was sent whose answer is awaited.
    private var pinged: Duration?
    private var lastGood: Duration
    private var lastAnswer: Duration?

    init(_ cipher: PacketCipher, _ now: Duration) {
        (self.cipher, lastGood) = (cipher, now)
    }

    enum Received {
        case datagram(Datagram)
        case nothing
        /// The server is to be asked for its nonce.
        case lostCount
    }

    mutating func seal(_ datagram: [UInt8]) -> [UInt8] { cipher.seal(datagram) }

    /// Before somebody talks: a router may have forgotten the way since the last answer.
    mutating func doubt(_ now: Duration) {
        if now - (lastAnswer ?? .zero) > Self.resynchronisation { isProven = false }
    }

    mutating func networkChanged() { isProven = false }

    /// - Returns: The packet to send.
    mutating func ping(_ format: VoiceFormat, _ now: Duration) -> [UInt8] {
        pinged = pinged ?? now
        return cipher.seal(format.encode(.ping(now.nanoseconds)))
    }

    mutating func receive(_ packet: [UInt8], _ format: VoiceFormat, _ now: Duration) -> Received {
        guard packet.count <= Datagram.longest + PacketCipher.overhead, let text = cipher.open(packet) else {
            guard now - lastGood >= Self.resynchronisation else { return .nothing }
            lastGood = now
            return .lostCount
        }
        lastGood = now
        guard let datagram = format.decode(text) else { return .nothing }
        if case .ping = datagram {
            pinged = nil
            lastAnswer = now
            isProven = true
        }
        return .datagram(datagram)
    }

    /// When ``expire(_:)`` is to be called.
    var deadline: Duration? { pinged.map { $0 + Self.answerLimit } }

    /// - Returns: True if a ping was not answered in time.
    mutating func expire(_ now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        fail()
        return true
    }

    /// Until the answer to a later ping.
    mutating func fail() {
        pinged = nil
        isProven = false
    }

    var clientNonce: [UInt8] { cipher.clientNonce }

    mutating func resynchronise(serverNonce: [UInt8]) -> Bool {
        cipher.resynchronise(serverNonce: serverNonce)
    }
}

extension Duration {
    /// Not negative.
    var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}

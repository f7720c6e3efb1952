/// The packets of our voice that are not sent yet: the path to the server may not stand yet, or the server
/// limits the bandwidth.
struct OutgoingVoice: Sendable {
    /// The longest time for which a packet waits for the path.
    static let longestWait = Duration.seconds(2)
    /// In all, with what the bandwidth allows: who hears it much later takes it for an answer to something
    /// else.
    static let longestDelay = Duration.seconds(4)
    /// As many packets of 20 milliseconds.
    static let limit = 100

    private var waiting: [(packet: VoicePacket, since: Duration)] = []
    /// Nil while the path does not stand.
    var bandwidth: Bandwidth?
    /// True if the path may be gone, so that nothing is sent.
    var isHeld = false
    /// True if the floor is not granted yet, which takes no longer than ``FloorControl/answerLimit``.
    var isUngranted = false

    /// True if it waits for the path.
    var isBlocked: Bool { isHeld || bandwidth == nil }

    /// - Returns: False if too much waits already. Then nothing of it is sent any more: a sentence with a
    ///   hole may say the opposite.
    mutating func append(_ packet: VoicePacket, _ now: Duration) -> Bool {
        guard waiting.count < Self.limit else {
            waiting = []
            return false
        }
        waiting.append((packet, now))
        return true
    }

    /// Nothing of it is sent any more.
    mutating func drop() { waiting = [] }

    /// - Returns: False if the first packet has waited too long; nothing is sent any more.
    mutating func expire(_ now: Duration) -> Bool {
        guard let expiry, expiry <= now else { return true }
        waiting = []
        return false
    }

    /// - Returns: The next packet that may be sent, as the datagram of this format.
    mutating func next(_ format: VoiceFormat, _ now: Duration) -> [UInt8]? {
        guard !isHeld, !isUngranted, let first = waiting.first else { return nil }
        let datagram = format.encode(.voice(first.packet))
        guard bandwidth?.take(datagram.count, now) == true else { return nil }
        waiting.removeFirst()
        return datagram
    }

    /// When ``expire(_:)`` or ``next(_:_:)`` is to be asked again.
    var deadline: Duration? {
        guard let first = waiting.first, isBlocked || !isUngranted else { return nil }
        // The next packet, 20 milliseconds later, is usually sooner than what the bandwidth allows.
        return isBlocked
            ? expiry : max(first.since, bandwidth?.lastRefusal ?? .zero) + .milliseconds(20)
    }

    private var expiry: Duration? {
        waiting.first.map { $0.since + (isBlocked ? Self.longestWait : Self.longestDelay) }
    }
}

/// The limit of a server, which drops what exceeds it without a word. It is counted as the server does: all
/// bytes of the last 360 packets, with their headers, over the time since the first of them; what was not
/// sent yet counts as sent when the connection was made.
struct Bandwidth: Sendable {
    /// The lowest limit that is usual: with one that is lower, Mumble's own program sends longer packets.
    /// https://github.com/mumble-voip/mumble/blob/1.3.x/src/mumble/AudioInput.cpp
    static let lowest: UInt32 = 48_000
    private static let slots = 360
    /// Of the limit, what we use: packets that were delayed arrive closer together than they were sent.
    private static let share = 0.9
    /// IP, UDP and the encryption, which the server counts also for what comes through the tunnel.
    private static let overhead = 20 + 8 + PacketCipher.overhead
    /// The longest header of a voice packet.
    private static let header = 12
    /// Voice in a radio channel is clear with 32 kbit/s; below 6 kbit/s Opus has no voice.
    private static let bitrates = 6000...32_000

    /// In bits per second; 0 means no limit.
    var limit: UInt32
    private let start: Duration
    /// The newest last.
    private var packets: [(bits: Int, at: Duration)] = []
    private var total = 0
    private(set) var lastRefusal: Duration?

    /// - Returns: The bitrate that a limit leaves for Opus, with a packet every 20 milliseconds.
    static func bitrate(limit: UInt32) -> Int {
        let voice = limit == 0 ? Int.max : Int(Double(limit) * share) - 50 * 8 * (overhead + header)
        return min(max(voice, bitrates.lowerBound), bitrates.upperBound)
    }

    init(limit: UInt32, since start: Duration) {
        (self.limit, self.start) = (limit, start)
    }

    /// - Returns: True if a datagram of so many bytes may be sent now; it counts as sent then.
    mutating func take(_ count: Int, _ now: Duration) -> Bool {
        let bits = (count + Self.overhead) * 8
        let oldest = packets.count == Self.slots ? packets.first : nil
        let sum = total - (oldest?.bits ?? 0) + bits
        let elapsed = now - (oldest?.at ?? start)
        guard limit == 0 || Double(sum) <= Double(limit) * Self.share * (elapsed / .seconds(1)) else {
            lastRefusal = now
            return false
        }
        if oldest != nil { packets.removeFirst() }
        packets.append((bits, now))
        total = sum
        lastRefusal = nil
        return true
    }
}

package import PTTMessages

/// Recognises what is wrong with the link to a Bluetooth button from what happens to it.
package struct LinkDiagnosis: Equatable, Sendable {
    package enum Finding: Equatable, Sendable {
        /// The accessory loses its key when it is switched off, after which the link can never be encrypted
        /// again.
        case isBondedButShouldNot
        /// Each link to a bonded device ends at once: "PIN or Key Missing".
        case hasLostBond
        /// Its services are known, and its button's are not among them: as a rule an old list (`Cache` in
        /// main.conf).
        case hasNoButton
        /// An answer takes so long that presses arrive late, or not at all.
        case isSlow(Duration)
    }

    /// A link that is refused ends within 60 ms (bluetoothd 5.66, observed); services are found in a second
    /// or two.
    private static let shortLink = Duration.seconds(2)
    /// Consecutive ones. A single one is interference.
    private static let shortLinks = 3
    /// An answer takes two connection intervals, which are 4 s at most and 50 ms as the kernel requests.
    private static let slowAnswer = Duration.seconds(1)

    private let bonding: ConnectionPolicy.Bonding
    private var connectedAt: MonotonicTime?
    private var isResolved = false
    private var shortLinks = 0
    private var hasNoButton = false
    private var answer: Duration?

    package init(bonding: ConnectionPolicy.Bonding) {
        self.bonding = bonding
    }

    package mutating func connected(at now: MonotonicTime) {
        connectedAt = now
        isResolved = false
        answer = nil
    }

    /// The services are known.
    package mutating func resolved(hasButton: Bool) {
        isResolved = true
        shortLinks = 0
        hasNoButton = !hasButton
    }

    /// A request was answered.
    package mutating func answered(after delay: Duration) {
        answer = delay
    }

    package mutating func disconnected(at now: MonotonicTime, isBonded: Bool) {
        defer { connectedAt = nil }
        guard let connectedAt, !isResolved else { return }
        let isShort = isBonded && now - connectedAt <= Self.shortLink
        shortLinks = isShort ? min(shortLinks + 1, Self.shortLinks) : 0
    }

    /// The most important thing that is wrong.
    package func finding(isBonded: Bool) -> Finding? {
        if isBonded, shortLinks >= Self.shortLinks { return .hasLostBond }
        if isBonded, bonding == .never { return .isBondedButShouldNot }
        if hasNoButton { return .hasNoButton }
        if let answer, answer > Self.slowAnswer { return .isSlow(answer) }
        return nil
    }
}

extension LinkDiagnosis.Finding {
    /// For people. `address` is what `pttctl` accepts.
    package func advice(_ address: String) -> String {
        switch self {
        case .isBondedButShouldNot:
            "it is bonded, and loses its key when it is switched off: run `pttctl repair \(address)`"
        case .hasLostBond:
            "it has lost its bond, and each link ends at once: run `pttctl repair \(address)`"
        case .hasNoButton:
            "BlueZ knows its services, and the button is not among them; if it should be: "
                + "run `pttctl repair \(address)`"
        case .isSlow(let delay):
            "its link is slow (an answer took \(delay.components.seconds) s), and presses arrive late: "
                + "set MaxConnectionInterval in /etc/bluetooth/main.conf"
        }
    }
}

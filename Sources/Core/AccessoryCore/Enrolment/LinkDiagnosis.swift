package import PTTMessages

/// Recognises what is wrong with the link to a Bluetooth button from what happens to it.
package struct LinkDiagnosis: Equatable, Sendable {
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

    /// The most important thing that is wrong and what to do, for people; nil if nothing is. `address` is
    /// what `pttctl` accepts.
    package func advice(_ address: String, isBonded: Bool) -> String? {
        if isBonded, shortLinks >= Self.shortLinks {
            // "PIN or Key Missing".
            return "it has lost its bond, and each link ends at once: run `pttctl repair \(address)`"
        }
        if isBonded, bonding == .never {
            // Afterwards the link can never be encrypted again.
            return "it is bonded, and loses its key when it is switched off: run `pttctl repair \(address)`"
        }
        if hasNoButton {
            // As a rule an old list (`Cache` in main.conf).
            return "BlueZ knows its services, and the button is not among them; if it should be: "
                + "run `pttctl repair \(address)`"
        }
        if let answer, answer > Self.slowAnswer {
            let seconds = answer.components.seconds
            return "its link is slow (an answer took \(seconds) s), and presses arrive late: set "
                + "MaxConnectionInterval in /etc/bluetooth/main.conf"
        }
        return nil
    }
}

import AccessoryCore
import PTTMessages
import TestSupport

/// A generator whose numbers depend only on its seed, so that a failing case can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SplitMix

    init(_ seed: UInt64) { numbers = SplitMix(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }

    mutating func byte(_ range: ClosedRange<UInt8> = 1...255) -> UInt8 { .random(in: range, using: &self) }
}

/// An accessory by the contract of what buttons send: it receives physical presses, and emits frames.
struct SimulatedButton {
    typealias Content = LearningFrame.Content
    /// A frame, and how long after its cause it arrives.
    typealias Emission = (delay: Duration, content: Content)

    /// The frames that a press and a release send.
    enum Edges {
        /// Fixed frames; the release may be empty (press only).
        case fixed(press: [Content], release: [Content])
        /// The next of these with each press and each release, then from the first one on.
        case turns(press: [[Content]], release: [[Content]])
        /// A press, and its own release after this time.
        case pulse(press: Content, release: Content, width: Duration)
        /// Another key with each press.
        case alternating([UInt16], isPulse: Bool)
        /// A key that BlueZ releases after two seconds.
        case released(UInt16)
        /// A value with a number that grows with each edge, at this place.
        case counting(GattAttribute, press: [UInt8], release: [UInt8], place: Int)
        case random(GattAttribute, length: Int)
    }

    /// Frames that it sends by itself.
    struct Heartbeat {
        enum Value {
            /// The level, with these bits.
            case level(press: [UInt8], release: [UInt8], or: UInt8)
            case fixed(Content)
            case whileHeld(Content)
            case counter
            /// A press and its release at once: a dirty contact.
            case contact(UInt16)
        }

        let value: Value
        let attribute: GattAttribute
        let period: Duration
        let jitter: Duration
    }

    var name: String
    var edges: Edges
    var pattern: Expected
    /// False if its recordings need not be learned, but none wrongly.
    var isWellBehaved = true
    var onSubscribing: [Content] = []
    var heartbeats: [Heartbeat] = []
    /// Each frame also comes from here, so much later.
    var mirror: (attribute: GattAttribute, lag: Duration)?
    /// A release arrives with these bits, at times.
    var mergedBits: UInt8 = 0
    /// While it is held for long.
    var longPress: Content?
    var latency = Duration.milliseconds(30)
    var jitter = Duration.milliseconds(10)
    var lossProbability = 0.0

    /// The pattern that is to be learned from it.
    enum Expected {
        case held
        case tapped
        case releasedByItself
        /// It cannot be used.
        case nothing
    }

    private var count = 0
    private var keyIndex = 0
    private var (presses, releases) = (0, 0)

    init(_ name: String, _ edges: Edges, _ pattern: Expected) {
        self.name = name
        self.edges = edges
        self.pattern = pattern
    }

    mutating func press(_ random: inout SeededGenerator) -> [Emission] {
        count += 1
        switch edges {
        case .fixed(let press, _): return emit(press, &random)
        case .turns(let press, _):
            presses += 1
            return emit(press[(presses - 1) % press.count], &random)
        case .pulse(let press, let release, let width):
            let first = emit([press], &random)
            let delay = first.first?.delay ?? .zero
            return first + first.prefix(1).map { _ in (delay + width, release) }
        case .alternating(let codes, let isPulse):
            keyIndex = (keyIndex + 1) % codes.count
            let code = codes[keyIndex]
            let first = emit([.key(code, isPressed: true)], &random)
            guard isPulse, let delay = first.first?.delay else { return first }
            return first + [(delay + .milliseconds(4), .key(code, isPressed: false))]
        case .released(let code):
            return emit([.key(code, isPressed: true)], &random)
        case .counting(let attribute, let press, _, let place):
            return emit([.notified(counted(press, place), attribute)], &random)
        case .random(let attribute, let length):
            return emit([.notified((0..<length).map { _ in random.byte(0...255) }, attribute)], &random)
        }
    }

    /// It was held for this time.
    mutating func release(after held: Duration, _ random: inout SeededGenerator) -> [Emission] {
        count += 1
        switch edges {
        case .fixed(_, let release):
            if mergedBits != 0, random.chance(0.3), case .notified(var value, let attribute)? = release.first
            {
                value[0] |= mergedBits
                return emit([.notified(value, attribute)], &random)
            }
            return emit(release, &random)
        case .turns(_, let release):
            releases += 1
            return emit(release[(releases - 1) % release.count], &random)
        case .pulse: return []
        case .alternating(let codes, let isPulse):
            return isPulse ? [] : emit([.key(codes[keyIndex], isPressed: false)], &random)
        case .released(let code):
            return held < .milliseconds(2000) ? emit([.key(code, isPressed: false)], &random) : []
        case .counting(let attribute, _, let release, let place):
            return emit([.notified(counted(release, place), attribute)], &random)
        case .random(let attribute, let length):
            return emit([.notified((0..<length).map { _ in random.byte(0...255) }, attribute)], &random)
        }
    }

    /// Frames that follow a press while it is held, by the time since the press.
    func held() -> [Emission] {
        var later: [Emission] = []
        if let longPress { later.append((.milliseconds(1500), longPress)) }
        if case .released(let code) = edges {
            later.append((.milliseconds(2000), .key(code, isPressed: false)))
        }
        return later
    }

    mutating func beat(_ heartbeat: Heartbeat, isHeld: Bool) -> [Content] {
        switch heartbeat.value {
        case .level(let press, let release, let bits):
            var value = isHeld ? press : release
            value[0] |= bits
            return [.notified(value, heartbeat.attribute)]
        case .fixed(let content): return [content]
        case .whileHeld(let content): return isHeld ? [content] : []
        case .contact(let code): return [.key(code, isPressed: true), .key(code, isPressed: false)]
        case .counter:
            count += 1
            return [.notified([UInt8(truncatingIfNeeded: count)], heartbeat.attribute)]
        }
    }

    private func counted(_ value: [UInt8], _ place: Int) -> [UInt8] {
        var value = value
        value[place] = UInt8(truncatingIfNeeded: count)
        return value
    }

    private func emit(_ contents: [Content], _ random: inout SeededGenerator) -> [Emission] {
        var emissions: [Emission] = []
        let delay = latency + random.milliseconds(0...Int(jitter / .milliseconds(1)))
        for (index, content) in contents.enumerated() {
            if random.chance(lossProbability) { continue }
            emissions.append((delay + .milliseconds(3 * index), content))
            if let mirror, case .notified(let value, _) = content {
                emissions.append((delay + mirror.lag, .notified(value, mirror.attribute)))
            }
        }
        return emissions
    }
}

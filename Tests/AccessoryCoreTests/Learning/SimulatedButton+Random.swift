import AccessoryCore
import PTTMessages

extension SimulatedButton {
    /// Any button. Some behave well, others cannot be used at all.
    static func random(_ random: inout SeededGenerator) -> SimulatedButton {
        var button =
            switch Int.random(in: 0..<14, using: &random) {
            case 0..<5: levels(&random)
            case 5: texts(&random)
            case 6..<8: serial(&random)
            case 8..<11: keys(&random)
            case 11: pressOnly(&random)
            case 12: unusable(&random)
            default: counting(&random)
            }
        button.latency = random.milliseconds(1...80)
        button.jitter = random.milliseconds(0...60)
        if random.chance(0.1) {
            button.lossProbability = random.chance(0.5) ? 0.03 : 0.3
            button.isWellBehaved = false
        }
        return button
    }

    /// One that must be learned.
    static func wellBehaved(_ random: inout SeededGenerator) -> SimulatedButton {
        while true {
            let button = Self.random(&random)
            if button.isWellBehaved, button.pattern != .nothing { return button }
        }
    }

    private static func levels(_ random: inout SeededGenerator) -> SimulatedButton {
        let length = random.chance(0.7) ? 1 : Int.random(in: 2...6, using: &random)
        let tail = (1..<length).map { _ in random.byte(0...255) }
        let bit = UInt8(1) << UInt8.random(in: 0..<7, using: &random)
        var release = [random.chance(0.6) ? 0 : random.byte(0...127)] + tail
        var press = [random.chance(0.6) ? release[0] ^ bit : random.byte()] + tail
        if press == release { press[0] ^= bit }
        if press.allSatisfy({ $0 == 0 }) { swap(&press, &release) }
        var button = SimulatedButton(
            "levels \(press) \(release)",
            .fixed(press: [value(press)], release: [value(release)]),
            .held
        )
        if random.chance(0.4) { button.onSubscribing = [value(release)] }
        if random.chance(0.3) { button.addHeartbeat(press, release, &random) }
        if random.chance(0.25) { button.mirror = (other, random.milliseconds(0...80)) }
        if random.chance(0.15) { button.longPress = value([random.byte()] + tail) }
        if case .notified(let long, _)? = button.longPress, long == press || long == release {
            button.longPress = nil
        }
        if button.longPress != nil { button.isWellBehaved = button.heartbeats.isEmpty }
        if random.chance(0.2) {
            button.heartbeats.append(
                Heartbeat(
                    value: .counter,
                    attribute: attribute(0xC000, 0xC001),
                    period: random.milliseconds(200...3000),
                    jitter: .milliseconds(20)
                )
            )
        }
        if random.chance(0.15) {
            var battery = Array("BATT\(Int.random(in: 0...9, using: &random))".utf8)
            if random.chance(0.5) { battery = [random.byte()] }
            // A value with two meanings cannot be understood.
            if battery == press || battery == release { battery = [press[0] ^ release[0] ^ 0xFF, 1, 2] }
            button.heartbeats.append(
                Heartbeat(
                    value: .fixed(value(battery)),
                    attribute: attribute,
                    period: random.milliseconds(3000...40_000),
                    jitter: .milliseconds(20)
                )
            )
            button.isWellBehaved = false
        }
        return button
    }

    private mutating func addHeartbeat(_ press: [UInt8], _ release: [UInt8], _ random: inout SeededGenerator)
    {
        let period = random.milliseconds(400...(random.chance(0.6) ? 1500 : 12_000))
        let jitter = Duration.milliseconds(30)
        var bits: UInt8 = 0x80
        let heartbeatValue: Heartbeat.Value
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            bits = random.chance(0.7) ? 0x80 : 0
            heartbeatValue = .level(press: press, release: release, or: bits)
            if bits != 0, random.chance(0.5) { mergedBits = bits }
            isWellBehaved = bits == 0
        case 1:
            var beat = press
            beat[0] = random.byte(128...255)
            heartbeatValue = .fixed(Self.value(beat))
            isWellBehaved = false
        case 2: heartbeatValue = .whileHeld(Self.value(press))
        default:
            heartbeatValue = .level(press: press, release: release, or: 0)
        }
        heartbeats = [
            Heartbeat(value: heartbeatValue, attribute: Self.attribute, period: period, jitter: jitter)
        ]
    }

    private static func word(_ random: inout SeededGenerator) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ+=:*")
        return String(
            (0..<Int.random(in: 3...9, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? "A"
            }
        )
    }

    private static func texts(_ random: inout SeededGenerator) -> SimulatedButton {
        let (press, release) = twoWords(&random)
        var button = SimulatedButton(
            "texts \(press) \(release)",
            .fixed(press: [value(Array(press.utf8))], release: [value(Array(release.utf8))]),
            .held
        )
        if random.chance(0.3) { button.mirror = (other, random.milliseconds(0...40)) }
        return button
    }

    private static func twoWords(_ random: inout SeededGenerator) -> (String, String) {
        let common = random.chance(0.6) ? word(&random) : ""
        return (common + "P" + word(&random), common + "R" + word(&random))
    }

    private static func serial(_ random: inout SeededGenerator) -> SimulatedButton {
        var (press, release) = twoWords(&random)
        if random.chance(0.1) { (press, release) = ("1", "0") }
        let end = ["", "\r\n", "\0", "\n"].randomElement(using: &random) ?? ""
        var button = SimulatedButton(
            "serial \(press) \(release)",
            .fixed(press: [text(press + end)], release: [text(release + end)]),
            .held
        )
        if random.chance(0.2) {
            button = SimulatedButton(
                "serial \(press)",
                .fixed(press: [text(press + end)], release: []),
                .tapped
            )
        }
        if random.chance(0.2) { button.longPress = text(word(&random)) }
        if random.chance(0.2) {
            button.heartbeats = [
                Heartbeat(
                    value: .fixed(text(random.chance(0.5) ? word(&random) : "\(random.byte())")),
                    attribute: attribute,
                    period: random.milliseconds(500...9000),
                    jitter: .milliseconds(30)
                )
            ]
            button.isWellBehaved = false
        }
        if button.longPress != nil { button.isWellBehaved = false }
        return button
    }

    private static func keys(_ random: inout SeededGenerator) -> SimulatedButton {
        let all: [UInt16] = [164, 200, 201, 207, 119, 208, 168, 163, 165, 226, 582, 115]
        let codes = all.shuffled(using: &random)
        let (first, second) = (codes[0], codes[1])
        func edges(_ code: UInt16) -> [Content] {
            [.key(code, isPressed: true), .key(code, isPressed: false)]
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            return SimulatedButton(
                "key",
                .fixed(press: [.key(first, isPressed: true)], release: [.key(first, isPressed: false)]),
                .held
            )
        case 1:
            var button = SimulatedButton(
                "two keys at once",
                .fixed(
                    press: [.key(first, isPressed: true), .key(second, isPressed: true)],
                    release: [.key(first, isPressed: false), .key(second, isPressed: false)]
                ),
                .nothing
            )
            button.isWellBehaved = false
            return button
        case 2:
            return SimulatedButton("paired", .fixed(press: edges(first), release: edges(second)), .held)
        case 3: return SimulatedButton("automatic release", .released(first), .releasedByItself)
        case 4:
            return SimulatedButton(
                "alternating",
                .alternating([first, second], isPulse: random.chance(0.5)),
                .held
            )
            .correctingPattern()
        case 5: return SimulatedButton("pulse key", .fixed(press: edges(first), release: []), .tapped)
        default:
            var button = SimulatedButton(
                "same key twice",
                .fixed(press: edges(first), release: edges(first)),
                .nothing
            )
            button.isWellBehaved = false
            return button
        }
    }

    private func correctingPattern() -> SimulatedButton {
        var button = self
        if case .alternating(_, let isPulse) = edges, isPulse { button.pattern = .tapped }
        return button
    }

    private static func pressOnly(_ random: inout SeededGenerator) -> SimulatedButton {
        let press = value([random.byte()])
        if random.chance(0.4) {
            return SimulatedButton(
                "pulse",
                .pulse(press: press, release: value([0]), width: random.milliseconds(5...150)),
                .tapped
            )
        }
        var button = SimulatedButton("press only", .fixed(press: [press], release: []), .tapped)
        if random.chance(0.3) { button.onSubscribing = [value([0])] }
        return button
    }

    private static func unusable(_ random: inout SeededGenerator) -> SimulatedButton {
        var button: SimulatedButton
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            button = SimulatedButton("inverted", .fixed(press: [value([0])], release: [value([1])]), .nothing)
            button.onSubscribing = [value([1])]
        case 1:
            let byte = random.byte()
            button = SimulatedButton(
                "same",
                .fixed(press: [value([byte])], release: [value([byte])]),
                .nothing
            )
        case 2:
            let length = Int.random(in: 1...20, using: &random)
            button = SimulatedButton("random", .random(attribute, length: length), .nothing)
        case 3:
            button = SimulatedButton(
                "release only",
                .fixed(press: [], release: [value([random.byte()])]),
                .nothing
            )
        default: button = SimulatedButton("silent", .fixed(press: [], release: []), .nothing)
        }
        button.isWellBehaved = false
        return button
    }

    private static func counting(_ random: inout SeededGenerator) -> SimulatedButton {
        let bytes: [UInt8] = [1, random.byte(), random.byte()]
        let place = Int.random(in: 0..<3, using: &random)
        let isPressOnly = random.chance(0.3)
        var button = SimulatedButton(
            "counting at \(place)",
            .counting(
                attribute,
                press: bytes,
                release: isPressOnly ? bytes : [0] + bytes[1...],
                place: place
            ),
            // With the number elsewhere than in the first byte, a bit of that one may be read.
            place == 0 || isPressOnly ? .nothing : .held
        )
        button.isWellBehaved = false
        return button
    }
}

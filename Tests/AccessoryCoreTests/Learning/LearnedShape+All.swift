import AccessoryCore
import PTTMessages

// The shapes of the devices that people have, and of those that a person could make.

extension LearnedShape {
    static let all = levels + values + taps + texts + ports + keys

    static func value(_ bytes: UInt8...) -> Content { SimulatedButton.value(bytes) }

    private static func text(_ text: String) -> Content { SimulatedButton.value(Array(text.utf8)) }

    private static func held(_ name: String, _ press: Content..., release: Content...) -> SimulatedButton {
        SimulatedButton(name, .fixed(press: press, release: release), .held)
    }

    private static func tapped(_ name: String, _ press: Content...) -> SimulatedButton {
        SimulatedButton(name, .fixed(press: press, release: []), .tapped)
    }

    private static func beating(
        _ button: SimulatedButton,
        _ value: SimulatedButton.Heartbeat.Value,
        every milliseconds: Int
    )
        -> SimulatedButton
    {
        var button = button
        button.heartbeats.append(
            SimulatedButton.Heartbeat(
                value: value,
                attribute: SimulatedButton.attribute,
                period: .milliseconds(milliseconds),
                jitter: .milliseconds(20)
            )
        )
        return button
    }

    // MARK: - One byte

    private static var levels: [LearnedShape] {
        let level = held("level", value(1), release: value(0))
        var greeted = held("level, and its state on subscribing", value(1), release: value(0))
        greeted.onSubscribing = [value(0)]
        var aina = beating(
            held("bits with a heartbeat", value(1), release: value(0)),
            .level(press: [1], release: [0], or: 0x80),
            every: 1000
        )
        aina.mergedBits = 0x80
        var long = held("long press", value(1), release: value(0))
        long.longPress = value(2)
        var mirrored = held("two characteristics", value(1), release: value(0))
        mirrored.mirror = (SimulatedButton.other, .milliseconds(8))
        let keys: [Key] = [([value(2)], [value(0)])]
        let chords: [Key] = [([value(3)], [value(1)]), ([value(3)], [value(0)])]
        return [
            LearnedShape(
                button: level,
                others: keys,
                chords: chords,
                noise: [[value(0x64)], [value()], [value(1, 2)]]
            ),
            LearnedShape(button: greeted, others: keys, chords: chords),
            LearnedShape(
                button: held("characters", value(0x31), release: value(0x30)),
                others: [([value(0x32)], [value(0x30)]), ([value(0x33)], [value(0x34)])]
            ),
            LearnedShape(
                button: aina,
                others: keys,
                chords: chords,
                noise: [[value(0x40)]]
            ),
            LearnedShape(
                button: held("numbered edges", value(1), release: value(2)),
                others: [([value(3)], [value(4)]), ([value(5)], [value(6)])]
            ),
            LearnedShape(
                button: held("bits of which some are set", value(5), release: value(4)),
                others: [([value(1)], [value(0)]), ([value(7)], [value(6)])]
            ),
            LearnedShape(
                button: held("charge and level in one byte", value(0xE4), release: value(0x64)),
                later: [held("", value(0xE3), release: value(0x63))]
            ),
            LearnedShape(button: long, others: keys, chords: chords),
            LearnedShape(button: mirrored, others: keys, chords: chords),
            LearnedShape(
                button: held("sent twice", value(1), value(1), release: value(0), value(0)),
                others: keys,
                chords: chords
            ),
            LearnedShape(
                button: beating(
                    held("repeated while held", value(1), release: value(0)),
                    .whileHeld(value(1)),
                    every: 150
                ),
                others: keys,
                chords: chords
            ),
            LearnedShape(button: held("inverted", value(0), release: value(1)), isLearned: false),
            LearnedShape(
                button: held(
                    "press and release on two characteristics",
                    value(1),
                    release: SimulatedButton.value([1], SimulatedButton.other)
                ),
                others: [([value(2)], [SimulatedButton.value([2], SimulatedButton.other)])]
            ),
        ]
    }

    // MARK: - Several bytes

    private static var values: [LearnedShape] {
        func draining(_ states: [UInt8]) -> [[Content]] {
            (0..<30).flatMap { step in states.map { [value(100 - UInt8(step / 2), $0)] } }
        }
        let report = { (first: UInt8, third: UInt8) in
            SimulatedButton.value([first, 0, third, 0, 0, 0, 0, 0])
        }
        return [
            LearnedShape(
                button: held("charge and level", value(100, 1), release: value(100, 0)),
                later: [
                    held("", value(99, 1), release: value(99, 0)),
                    held("", value(1, 1), release: value(1, 0)),
                ],
                others: [([value(100, 2)], [value(100, 0)]), ([value(99, 3)], [value(99, 1)])]
            ),
            LearnedShape(
                button: held("level and charge", value(1, 100), release: value(0, 100)),
                later: [held("", value(1, 99), release: value(0, 99))],
                others: [([value(2, 100)], [value(0, 100)])]
            ),
            LearnedShape(
                button: SimulatedButton(
                    "charge that falls, and level",
                    .turns(press: draining([1]), release: draining([0])),
                    .held
                ),
                later: [held("", value(40, 1), release: value(40, 0))],
                others: [([value(90, 2)], [value(90, 0)]), ([value(40, 2)], [value(40, 0)])]
            ),
            LearnedShape(
                button: held("level and the number of the key", value(1, 0, 1), release: value(0, 0, 1)),
                others: [
                    ([value(1, 0, 2)], [value(0, 0, 2)]), ([value(1, 0, 1, 1)], [value(0, 0, 1, 1)]),
                    ([value(1)], [value(0)]),
                ]
            ),
            LearnedShape(
                button: SimulatedButton(
                    "level and a counter",
                    .counting(SimulatedButton.attribute, press: [1, 0, 7], release: [0, 0, 7], place: 1),
                    .held
                ),
                later: [held("", value(1, 200, 7), release: value(0, 201, 7))],
                others: [([value(2, 90, 7)], [value(0, 91, 7)]), ([value(1, 90, 8)], [value(0, 91, 8)])]
            ),
            LearnedShape(
                button: SimulatedButton(
                    "counter and level",
                    .counting(SimulatedButton.attribute, press: [0, 1], release: [0, 2], place: 0),
                    .held
                ),
                later: [held("", value(200, 1), release: value(201, 2))],
                others: [([value(90, 3)], [value(91, 4)])]
            ),
            LearnedShape(
                button: SimulatedButton("encrypted", .random(SimulatedButton.attribute, length: 8), .nothing),
                isLearned: false
            ),
            LearnedShape(
                button: held("report of a keyboard", report(0, 0x28), release: report(0, 0)),
                others: [([report(0, 0x29)], [report(0, 0)]), ([report(2, 0x28)], [report(2, 0)])]
            ),
            LearnedShape(
                button: held(
                    "padded to twenty bytes",
                    SimulatedButton.value([1] + Array(repeating: 0, count: 19)),
                    release: SimulatedButton.value(Array(repeating: 0, count: 20))
                ),
                others: [
                    (
                        [SimulatedButton.value([2] + Array(repeating: 0, count: 19))],
                        [SimulatedButton.value(Array(repeating: 0, count: 20))]
                    )
                ]
            ),
            LearnedShape(
                button: held("checksum", value(0xAA, 1, 0xAB), release: value(0xAA, 0, 0xAA)),
                others: [
                    ([value(0xAA, 2, 0xA8)], [value(0xAA, 0, 0xAA)]),
                    ([value(0xAA, 1, 0)], [value(0xAA, 0, 0)]),
                ],
                noise: [[value(0xAA, 0x10, 0x64)]]
            ),
        ]
    }

    // MARK: - Presses without a release

    private static var taps: [LearnedShape] {
        func pulse(_ name: String, _ milliseconds: Int) -> SimulatedButton {
            SimulatedButton(
                name,
                .pulse(press: value(1), release: value(0), width: .milliseconds(milliseconds)),
                .tapped
            )
        }
        return [
            LearnedShape(
                button: tapped("click", value(1)),
                others: [([value(2)], [])],
                noise: [[value(0x64)], [value(1, 1)]]
            ),
            LearnedShape(button: pulse("pulse of 5 ms", 5), others: [([value(2)], [value(0)])]),
            LearnedShape(button: pulse("pulse of 150 ms", 150), others: [([value(2)], [value(0)])]),
            LearnedShape(button: tapped("click that is sent twice", value(5), value(5)), isLearned: false),
            LearnedShape(
                button: tapped("click and charge", value(1, 100)),
                later: [tapped("", value(1, 99))],
                isLearned: false
            ),
            LearnedShape(
                button: SimulatedButton(
                    "click and a counter",
                    .turns(press: (0..<40).map { [value(1, $0)] }, release: [[]]),
                    .tapped
                ),
                isLearned: false
            ),
            LearnedShape(
                button: SimulatedButton(
                    "latch of its own",
                    .turns(press: [[value(1)], [value(0)]], release: [[]]),
                    .nothing
                ),
                isLearned: false
            ),
        ]
    }

    // MARK: - Texts in notifications

    private static var texts: [LearnedShape] {
        [
            LearnedShape(
                button: held("text", text("ELET1"), release: text("ELET2")),
                others: [([text("ELET3")], [text("ELET4")])],
                noise: [[text("BATTd")]]
            ),
            LearnedShape(
                button: held("text with a line end", text("+PTT=P\r\n"), release: text("+PTT=R\r\n")),
                others: [([text("+PTTS=P\r\n")], [text("+PTTS=R\r\n")])],
                noise: [[text("BATT=64\r\n")]]
            ),
            LearnedShape(
                button: held("text with the charge", text("P64\r\n"), release: text("R64\r\n")),
                later: [held("", text("P63\r\n"), release: text("R63\r\n"))]
            ),
            LearnedShape(
                button: held(
                    "text in two notifications",
                    text("+PTT"),
                    text("=P\r\n"),
                    release: text("+PTT"),
                    text("=R\r\n")
                ),
                others: [([text("+SOS"), text("=P\r\n")], [text("+SOS"), text("=R\r\n")])],
                isLearned: false
            ),
            LearnedShape(button: tapped("text of a click", text("click")), others: [([text("double")], [])]),
            LearnedShape(
                button: tapped("text of a click with the charge", text("C64")),
                later: [tapped("", text("C63"))],
                isLearned: false
            ),
        ]
    }
}

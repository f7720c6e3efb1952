import AccessoryCore
import PTTMessages

// Serial ports, and keys of input devices.

extension LearnedShape {
    private static func port(_ text: String) -> Content { SimulatedButton.text(text) }

    private static func held(_ name: String, _ press: String..., release: String...) -> SimulatedButton {
        SimulatedButton(name, .fixed(press: press.map { port($0) }, release: release.map { port($0) }), .held)
    }

    private static func chatting(_ button: SimulatedButton, _ text: String, every milliseconds: Int)
        -> SimulatedButton
    {
        var button = button
        button.heartbeats.append(
            SimulatedButton.Heartbeat(
                value: .fixed(port(text)),
                attribute: SimulatedButton.attribute,
                period: .milliseconds(milliseconds),
                jitter: .milliseconds(30)
            )
        )
        return button
    }

    static var ports: [LearnedShape] {
        let emergency: Key = ([port("+PTTE=P")], [port("+PTTE=R")])
        return [
            LearnedShape(
                button: held("port: text", "+PTT=P", release: "+PTT=R"),
                others: [emergency],
                noise: [[port("+VGS=U")], [port("+BAT=15\r\n")]]
            ),
            LearnedShape(
                button: chatting(
                    held("port: text among others", "+PTT=P", release: "+PTT=R"),
                    "+OK\r\n",
                    every: 7000
                ),
                others: [emergency],
                noise: [[port("+BAT=15\r\n")]],
                isLearned: nil
            ),
            LearnedShape(
                button: held("port: characters", "1\r\n", release: "0\r\n"),
                others: [([port("2\r\n")], [port("0\r\n")])],
                noise: [
                    [port("+BAT=15\r\n")], [port("+BAT=1"), port("5\r\n")],
                    [port("+BAT="), port("1"), port("5\r\n")],
                ]
            ),
            LearnedShape(
                button: held("port: characters with line ends", "1", release: "0"),
                noise: [[port("+BAT=15\r\n")], [port("+BAT=1"), port("5\r\n")]]
            ),
            LearnedShape(
                button: held("port: text in parts", "+PT", "T=P\r", "\n", release: "+P", "TT=R\r\n"),
                others: [emergency]
            ),
            LearnedShape(
                button: held("port: text with the charge", "BAT=64,PTT=1\r\n", release: "BAT=64,PTT=0\r\n"),
                later: [held("", "BAT=63,PTT=1\r\n", release: "BAT=63,PTT=0\r\n")]
            ),
            LearnedShape(
                button: chatting(
                    held("port: text with the charge among others", "P64;", release: "R64;"),
                    "+OK;",
                    every: 1700
                ),
                later: [held("", "P63;", release: "R63;")],
                isLearned: false
            ),
            LearnedShape(
                button: held(
                    "port: two texts for each edge",
                    "C:BRGIN*\r+GPIO=1\r\n",
                    release: "C:END*\r+GPIO=0\r\n"
                )
            ),
            LearnedShape(
                button: SimulatedButton(
                    "port: click",
                    .fixed(press: [port("CLICK\r\n")], release: []),
                    .tapped
                ),
                others: [([port("DOUBLE\r\n")], [])]
            ),
            LearnedShape(
                button: SimulatedButton(
                    "port: click with the charge",
                    .fixed(press: [port("C64\r\n")], release: []),
                    .tapped
                ),
                later: [SimulatedButton("", .fixed(press: [port("C63\r\n")], release: []), .tapped)],
                isLearned: false
            ),
            LearnedShape(
                button: SimulatedButton(
                    "port: click in parts",
                    .fixed(press: [port("CL"), port("ICK\r\n")], release: []),
                    .tapped
                )
            ),
        ]
    }

    static var keys: [LearnedShape] {
        func down(_ code: UInt16) -> Content { .key(code, isPressed: true) }
        func up(_ code: UInt16) -> Content { .key(code, isPressed: false) }
        let volume: Key = ([down(115)], [up(115)])
        func shape(
            _ name: String,
            _ edges: SimulatedButton.Edges,
            _ pattern: SimulatedButton.Expected,
            _ transport: InputTransport
        )
            -> LearnedShape
        {
            LearnedShape(
                button: SimulatedButton(name, edges, pattern),
                others: [volume],
                transport: transport
            )
        }
        return [
            shape("key", .fixed(press: [down(183)], release: [up(183)]), .held, .usb),
            shape("key of a jack", .fixed(press: [down(164)], release: [up(164)]), .held, .jack),
            shape(
                "two keys at once",
                .fixed(press: [down(28), down(115)], release: [up(28), up(115)]),
                .held,
                .bluetooth
            )
            .with {
                $0.others = [([down(28)], [up(28)]), ([down(115)], [up(115)])]
                $0.isLearned = false
            },
            shape(
                "one key for each edge",
                .fixed(press: [down(208), up(208)], release: [down(168), up(168)]),
                .held,
                .avrcp
            ),
            shape("play and pause in turns", .alternating([200, 201], isPulse: false), .held, .avrcp),
            shape(
                "pulses of play and pause in turns",
                .alternating([200, 201], isPulse: true),
                .tapped,
                .avrcp
            ),
            shape("pulse of a key", .fixed(press: [down(200), up(200)], release: []), .tapped, .avrcp),
            shape(
                "two pulses of a key",
                .fixed(press: [down(200), up(200), down(200), up(200)], release: []),
                .nothing,
                .avrcp
            )
            .with { $0.isLearned = false },
            shape("key that is released by itself", .released(200), .releasedByItself, .avrcp),
            shape(
                "the same pulse for both edges",
                .fixed(press: [down(200), up(200)], release: [down(200), up(200)]),
                .nothing,
                .avrcp
            )
            .with { $0.isLearned = false },
        ]
    }

    private func with(_ change: (inout LearnedShape) -> Void) -> LearnedShape {
        var shape = self
        change(&shape)
        return shape
    }
}

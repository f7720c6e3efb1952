import PTTMessages

@testable import AccessoryCore

/// A representative accessory, and what may happen to it.
struct Subject: Sendable, CustomStringConvertible {
    let description: String
    let definition: AccessoryDefinition
    let oracle: AccessoryOracle
    /// Frames that it may send.
    let frames: [AccessoryOracle.Step]
    /// Ends of its link.
    let losses: [AccessoryOracle.Step]
    let connection: [Accessory.Event]

    var steps: [AccessoryOracle.Step] {
        frames + losses + [
            .accepted, .acceptedUnknown, .refused, .ended(.timeLimit), .event(.coreLost), .event(.timerFired),
            .event(.permissionChanged(.withheld(reason: "not enrolled", cause: .stopped))),
            .event(.permissionChanged(.given)),
        ]
    }

    /// Unconnected, and ready.
    var starts: [Run] {
        let accessory = Accessory(definition, origin: .button)
        let unconnected = Run(accessory: accessory, oracle: oracle)
        var ready = unconnected
        for event in connection { _ = ready.take(.event(event), after: .milliseconds(600)) }
        return [unconnected, ready]
    }

    static let all = [
        gatt("level", [[([0x01], [.down(.talk)]), ([0x00], [.up(.talk)])]], frames: one),
        gatt("toggle", mode: .toggle, [[([0x01], [.down(.talk)]), ([0x00], [.up(.talk)])]], frames: one),
        gatt("latch", mode: .latch, [[([0x01], [.down(.talk)]), ([0x00], [.up(.talk)])]], frames: one),
        gatt(
            "press only",
            taps: [.talk],
            [[([0x01], [.tap(.talk)])]],
            frames: [.event(value(1), press: .talk)]
        ),
        gatt(
            "two characteristics",
            [
                [([0x01], [.down(.talk)]), ([0x00], [.up(.talk)])],
                [([0x01], [.down(.talk)]), ([0x00], [.up(.talk)])],
            ],
            frames: one + [
                .event(value(1, input: 1), press: .talk), .event(value(0, input: 1), release: [.talk]),
            ]
        ),
        gatt(
            "talk and emergency",
            [
                [
                    ([0x01], [.down(.talk)]), ([0x02], [.down(.emergency)]), ([0x03], [.up(.talk)]),
                    ([0x04], [.up(.emergency)]), ([0x05], [.down(.channelUp)]),
                ]
            ],
            frames: [
                .event(value(1), press: .talk), .event(value(2), press: .emergency),
                .event(value(3), release: [.talk]), .event(value(4), release: [.emergency]),
                .event(value(0), release: [.talk, .emergency]), .event(value(5)),
            ]
        ),
        serial, advertising,
        keys("plug", .init(mode: .toggle, shortestPress: .milliseconds(10)), isToggle: true),
        keys("remote", .init(mode: .toggle), isToggle: true),
        keys("pedal", .init(mode: .hold), isToggle: false),
        keys("latching pedal", .init(mode: .latch), isLatch: true),
        paired,
    ]

    private static let one: [AccessoryOracle.Step] = [
        .event(value(1), press: .talk), .event(value(0), release: [.talk]), .event(value(0x31)),
    ]

    private static func value(_ byte: UInt8, input: Int = 0) -> Accessory.Event {
        .gatt(.valueNotified([byte], input: input))
    }

    private static func gatt(
        _ description: String,
        mode: ButtonMode? = nil,
        taps: Set<ButtonRole> = [],
        _ tables: [[([UInt8], [Signal])]],
        frames: [AccessoryOracle.Step]
    ) -> Subject {
        let attributes = (0..<tables.count).map {
            GattAttribute(
                service: GattUUID(assigned: 0xFFE0),
                characteristic: GattUUID(assigned: 0xFFE1 + UInt32($0))
            )
        }
        let inputs = zip(attributes, tables).map { attribute, table in
            GattInput(attribute: attribute, decoder: .bytes(table.map { BytePattern($0.0, $0.1) }))
        }
        let found = Set(inputs.indices)
        let isToggle = mode == .toggle || taps.contains(.talk)
        return Subject(
            description: description,
            definition: definition(.gatt(inputs), GestureSettings(mode: mode)),
            oracle: AccessoryOracle(isToggle: isToggle, isLatch: mode == .latch, taps: taps),
            frames: frames,
            losses: [
                .event(.gatt(.connected)), .event(.gatt(.sharedLinkConnected)),
                .event(.gatt(.servicesResolved(found: found))), .event(.gatt(.servicesResolved(found: []))),
                .event(.gatt(.notificationsEnabled(0))), .event(.gatt(.notificationsFailed(0, reason: "no"))),
                .event(.gatt(.fenceAnswered(0, .refused))), .event(.gatt(.fenceAnswered(0, .notConnected))),
                .event(.gatt(.valueSeen([0x01], input: 0))),
                .event(.gatt(.notificationsStopped(0))), .event(.gatt(.servicesGone)),
                .event(.gatt(.disconnected(.linkLost))), .event(.gatt(.bluetoothLost)),
            ],
            connection: [.gatt(.connected), .gatt(.servicesResolved(found: found))]
                + found.sorted().flatMap {
                    [.gatt(.notificationsEnabled($0)), .gatt(.fenceAnswered($0, .refused)), .timerFired]
                }
        )
    }

    private static var advertising: Subject {
        func press(_ number: UInt8?, counter: UInt32? = nil, events: [UInt8] = [1]) -> Accessory.Event {
            .stream(.advertised(BTHome.Packet(number: number, counter: counter, events: events)))
        }
        let patterns = [BytePattern([1, 1], [.tap(.talk)]), BytePattern([2, 1], [.tap(.channelUp)])]
        let numbers: [UInt8] = [1, 2, 3, 100, 200]
        return Subject(
            description: "advertisements",
            definition: definition(.advertisements(.bytes(patterns)), GestureSettings()),
            oracle: AccessoryOracle(isToggle: true, taps: [.talk, .channelUp]),
            frames: numbers.map { .event(press($0), press: .talk) } + [
                .event(press(nil, counter: 7), press: .talk), .event(press(50, events: [0, 1])),
                .event(press(60, events: [0])), .event(press(nil)),
            ],
            losses: [
                .event(.stream(.opened)), .event(.stream(.closed(.linkLost))),
                .event(.stream(.unavailable(reason: "no"))), .event(.stream(.bluetoothLost)),
            ],
            connection: [.stream(.opened), .timerFired]
        )
    }

    private static var serial: Subject {
        func text(_ text: String) -> Accessory.Event { .stream(.bytesReceived(Array(text.utf8))) }
        let tokens: [(String, Signal)] = [
            ("+PTT=P", .down(.talk)), ("+PTT=R", .up(.talk)), ("C:SP*", .arm(.multifunction)),
            ("C:SR*", .fire(.multifunction)), ("C:SOS*", .tap(.emergency)),
        ]
        let table = TokenTable(
            tokens: tokens.map { .init(bytes: Array($0.0.utf8), signals: [$0.1]) },
            stripped: [0]
        )
        return Subject(
            description: "serial",
            definition: definition(
                .serial(SerialInput(serviceClass: GattUUID(assigned: 0x1101), tokens: table)),
                GestureSettings()
            ),
            oracle: AccessoryOracle(isToggle: false, taps: [.emergency]),
            frames: [
                .event(text("+PTT=P"), press: .talk), .event(text("+PTT=R"), release: [.talk]),
                .event(text("C:SP*")), .event(text("C:SR*")), .event(text("C:SOS*"), press: .emergency),
                .event(text("noise")),
            ],
            losses: [
                .event(.stream(.opened)), .event(.stream(.closed(.linkLost))),
                .event(.stream(.bluetoothLost)),
            ],
            connection: [.stream(.opened), .timerFired]
        )
    }

    private static func keys(
        _ description: String,
        _ gesture: GestureSettings,
        isToggle: Bool = false,
        isLatch: Bool = false
    )
        -> Subject
    {
        Subject(
            description: description,
            definition: definition(.keys(KeyInput(meanings: [164: .button(.talk)])), gesture),
            oracle: AccessoryOracle(isToggle: isToggle, isLatch: isLatch),
            frames: [
                .event(.keys(.pressed(164)), press: .talk), .event(.keys(.released(164)), release: [.talk]),
                .event(.keys(.pressed(30))),
            ],
            losses: keyLosses,
            connection: [.timerFired]
        )
    }

    private static var paired: Subject {
        Subject(
            description: "paired keys",
            definition: definition(
                .keys(KeyInput(meanings: [208: .down(.talk), 168: .up(.talk)])),
                GestureSettings(mode: .hold, releaseAfter: .seconds(60))
            ),
            oracle: AccessoryOracle(isToggle: false, taps: [.talk]),
            frames: [
                .event(.keys(.pressed(208)), press: .talk), .event(.keys(.released(208))),
                .event(.keys(.pressed(168)), release: [.talk]), .event(.keys(.released(168))),
            ],
            losses: keyLosses,
            connection: [.timerFired]
        )
    }

    private static let keyLosses: [AccessoryOracle.Step] = [
        .event(.keys(.resynchronised(164, isPressed: true))),
        .event(.keys(.resynchronised(164, isPressed: false)), release: [.talk]), .event(.keys(.eventsLost)),
        .event(.keys(.plugChanged)), .event(.keys(.deviceRemoved)),
    ]

    private static func definition(_ input: AccessoryInput, _ gesture: GestureSettings) -> AccessoryDefinition
    {
        AccessoryDefinition(
            identifier: "subject",
            name: "Subject",
            confidence: .learned,
            match: AccessoryMatch(),
            input: input,
            gesture: gesture
        )
    }
}

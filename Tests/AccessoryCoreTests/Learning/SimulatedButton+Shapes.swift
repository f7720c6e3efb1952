import AccessoryCore
import PTTMessages

extension SimulatedButton {
    static let attribute = attribute(0xFFE0, 0xFFE1)
    static let other = attribute(0xFF00, 0xFF01)
    static let serialPort = GattUUID(assigned: 0x1101)

    static func attribute(_ service: UInt32, _ characteristic: UInt32) -> GattAttribute {
        GattAttribute(
            service: GattUUID(assigned: service),
            characteristic: GattUUID(assigned: characteristic)
        )
    }

    static func value(_ bytes: [UInt8], _ attribute: GattAttribute = attribute) -> Content {
        .notified(bytes, attribute)
    }

    static func text(_ text: String) -> Content {
        .received(Array(text.utf8), serviceClass: serialPort)
    }

    /// The cases of section 4.1 of the evidence, as far as a button makes them.
    static var shapes: [SimulatedButton] {
        var statePush = SimulatedButton(
            "state on subscribing",
            .fixed(press: [value([1])], release: [value([0])]),
            .held
        )
        statePush.onSubscribing = [value([0])]
        let ascii = SimulatedButton(
            "ASCII",
            .fixed(press: [value([0x31])], release: [value([0x30])]),
            .held
        )
        var heartbeat = SimulatedButton("AINA", .fixed(press: [value([1])], release: [value([0])]), .held)
        heartbeat.mergedBits = 0x80
        heartbeat.heartbeats = [
            Heartbeat(
                value: .level(press: [1], release: [0], or: 0x80),
                attribute: attribute,
                period: .milliseconds(1000),
                jitter: .milliseconds(40)
            )
        ]
        var mirrored = SimulatedButton(
            "two characteristics",
            .fixed(press: [value([1])], release: [value([0])]),
            .held
        )
        mirrored.mirror = (other, .milliseconds(8))
        // What differs is the level after a reconnection; learning sees no difference.
        let level = SimulatedButton("live level", .fixed(press: [value([1])], release: [value([0])]), .held)
        let serial = SimulatedButton(
            "serial text",
            .fixed(press: [text("+PTT=P\0")], release: [text("+PTT=R")]),
            .held
        )
        let paired = SimulatedButton(
            "paired keys",
            .fixed(
                press: [.key(208, isPressed: true), .key(208, isPressed: false)],
                release: [.key(168, isPressed: true), .key(168, isPressed: false)]
            ),
            .held
        )
        let automatic = SimulatedButton("automatic release", .released(200), .releasedByItself)
        var phantom = SimulatedButton(
            "phantom presses",
            .fixed(press: [.key(164, isPressed: true)], release: [.key(164, isPressed: false)]),
            .nothing
        )
        phantom.heartbeats = [
            Heartbeat(value: .contact(164), attribute: attribute, period: .milliseconds(2900), jitter: .zero)
        ]
        let lost = SimulatedButton(
            "key up after lost events",
            .fixed(press: [.key(164, isPressed: true)], release: [.key(164, isPressed: false)]),
            .held
        )
        return [statePush, ascii, heartbeat, mirrored, level, serial, paired, automatic, phantom, lost]
    }
}

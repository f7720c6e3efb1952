import EventLoop
import PTTMessages

extension Scenario {
    /// A value that a button sends when a client subscribes is its level, and not a press.
    static let levels = [
        comesBack("sending 00 immediately", sends: "00", isHeld: false),
        comesBack("already sending 01", sends: "01", isHeld: true),
    ]

    private static func comesBack(_ how: String, sends value: String, isHeld: Bool) -> Scenario {
        Scenario(part: 4, "a button that reconnects \(how) does not begin a transmission") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            let mark = fixture.core.events.count
            try await ButtonSimulator.perform("on-subscribe", on: .ffe0, with: value)
            try await ButtonSimulator.perform("sleep", on: .ffe0)
            try await until("it is away") { fixture.accessories.device(Button.ffe0.address)?.link == .away }
            let seen = fixture.accessories.events.count
            try await ButtonSimulator.perform("wake", on: .ffe0)
            try await fixture.ready(.ffe0)
            try await until("its value has arrived") {
                fixture.accessories.events.dropFirst(seen).contains {
                    $0.kind == .ignored && $0.value == value
                }
            }
            guard fixture.accessories.device(Button.ffe0.address)?.isPressed == isHeld else {
                throw Failure("ptt-accessoryd has not understood its level")
            }
            try await isSilent(application, fixture)
            guard fixture.core.beginnings(after: mark) == 0 else { throw Failure("a transmission has begun") }
            try await ButtonSimulator.release(.ffe0)
            try await until("it is released") {
                fixture.accessories.device(Button.ffe0.address)?.isPressed == false
            }
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }
}

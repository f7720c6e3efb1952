import EventLoop
import PTTMessages

extension Scenario {
    /// What a button tells by itself is its level, and no press.
    static let levels = [
        comesBack("telling 00 at once", sends: "00", isHeld: false),
        comesBack("already telling 01", sends: "01", isHeld: true),
    ]

    private static func comesBack(_ how: String, sends value: String, isHeld: Bool) -> Scenario {
        Scenario(4, "a button that reconnects \(how) does not begin a transmission") { lab in
            try await lab.paired(.ffe0)
            let application = try await lab.application()
            let mark = lab.core.events.count
            try await Hand.tell("on-subscribe", .ffe0, value)
            try await Hand.tell("sleep", .ffe0)
            try await until("it is away") { lab.accessories.device(Button.ffe0.address)?.link == .away }
            let seen = lab.accessories.events.count
            try await Hand.tell("wake", .ffe0)
            try await lab.ready(.ffe0)
            try await until("its value has arrived") {
                lab.accessories.events.dropFirst(seen).contains { $0.kind == .ignored && $0.value == value }
            }
            guard lab.accessories.device(Button.ffe0.address)?.isPressed == isHeld else {
                throw Failure("ptt-accessoryd has not understood what it told")
            }
            try await isSilent(application, lab)
            guard lab.core.beginnings(after: mark) == 0 else { throw Failure("a transmission has begun") }
            try await Hand.release(.ffe0)
            try await until("it is let go") {
                lab.accessories.device(Button.ffe0.address)?.isPressed == false
            }
            try await lab.talk(.ffe0, to: application)
            application.close()
        }
    }
}

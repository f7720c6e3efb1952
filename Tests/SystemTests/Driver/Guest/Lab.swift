import EventLoop
import PTTMessages

/// What a scenario works with.
@EventLoop
final class Lab {
    let core = CoreWatch()
    let accessories = AccessoryWatch()

    /// Everything as a person finds it in the morning: no channel, no button held, everything in reach and on.
    func restore() async throws {
        try await Machine.rfkill(isBlocked: false)
        try await Hand.tell("plug")
        for button in Button.allCases {
            for word in ["return", "wake", "release"] { try await Hand.tell(word, button) }
            try await Hand.tell("on-subscribe", button, "none")
        }
        _ = try await Command.run(["pttctl", "leave"])
    }

    /// The check from outside that ends each scenario.
    func nothingIsOpen() async throws {
        try await Machine.nobodyTransmits()
        try await Machine.nobodyRecords()
    }

    // MARK: - Steps

    /// An application that has joined.
    func application() async throws -> Application {
        try await core.open()
        return try await Application.join(core)
    }

    /// Pairs the button as a person does, unless that was done before; returns when a press will be heard.
    func paired(_ button: Button) async throws {
        try await accessories.open()
        if accessories.device(button.address).map({ $0.link == .unused }) ?? true {
            try await Command.output(of: ["pttctl", "pair", button.name], within: .seconds(150))
        }
        try await ready(button)
    }

    func ready(_ button: Button) async throws {
        try await accessories.reachesCore()
        do {
            try await until("\(button.name) is ready", within: .seconds(120)) { [accessories] in
                accessories.isReady(button)
            }
        } catch {
            throw Failure(
                "\(error); ptt-accessoryd tells: \(accessories.device(button.address).map { "\($0)" } ?? "nothing")"
            )
        }
    }

    /// The whole way once: press, tone, release, silence.
    func talk(_ button: Button, to application: Application) async throws {
        try await press(button, for: application)
        try await release(button)
    }

    func press(_ button: Button, for application: Application) async throws {
        let mark = core.events.count
        try await Hand.press(button)
        try await began(button.address, after: mark)
        try await application.hearsTone()
    }

    func began(_ identifier: String, after mark: Int) async throws {
        let transmission = try await core.event("\(identifier) begins a transmission", after: mark) {
            if case .transmissionBegan(let transmission) = $0 { transmission } else { nil }
        }
        guard transmission.origin.identifier == identifier else {
            throw Failure("\(transmission.origin.identifier) began in place of \(identifier)")
        }
    }

    func release(_ button: Button) async throws {
        let mark = core.events.count
        try await Hand.release(button)
        try await ends(.released, after: mark)
    }

    /// The transmission ends for this reason, and no frames come after that.
    func ends(_ expected: EndCause..., after mark: Int) async throws {
        let cause = try await core.end(after: mark)
        guard expected.contains(cause) else {
            throw Failure("the transmission ended because of \(cause.rawValue)")
        }
        try await until("audio is inactive") { [core] in core.status?.audio == .inactive }
    }
}

import EventLoop
import PTTMessages

/// The installed system as a scenario finds it, and the steps that scenarios share.
@EventLoop
final class GuestFixture {
    let core = CoreSubscriber()
    let accessories = AccessorySubscriber()

    /// Restores the initial state: no channel, no button held, everything in range and on.
    func restore() async throws {
        try await Machine.rfkill(isBlocked: false)
        try await ButtonSimulator.perform("plug")
        for button in Button.atTheStart {
            for command in ["return", "wake", "release"] {
                try await ButtonSimulator.perform(command, on: button)
            }
            for (command, argument) in [("on-subscribe", "none"), ("drop-links", "off")] {
                try await ButtonSimulator.perform(command, on: button, with: argument)
            }
        }
        for (command, argument) in [("return", ""), ("refuse-serial", "0"), ("release", "")] {
            try await ButtonSimulator.perform(command, on: .microphone, with: argument)
        }
        try await ButtonSimulator.removeAdded()
        _ = try await Command.run(["pttctl", "leave"])
    }

    /// The check from outside that ends each scenario.
    func nothingIsOpen() async throws {
        try await Machine.nothingTransmits()
        try await Machine.nothingRecords()
    }

    /// Runs `body` with this `pttd.toml`, which is removed afterwards, also if it throws.
    func configured(_ text: String, _ body: @EventLoop () async throws -> Void) async throws {
        let directory = "/home/dev/.config/pushtotalk"
        try await Command.output(of: [
            "sh", "-c", "mkdir -p \(directory) && echo '\(text)' > \(directory)/pttd.toml",
        ])
        try await restartCore()
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        // Not the directory: the guest has overlayfs, which does not always tell who watches one that it is
        // removed (inotify(7)). ptt-accessoryd would go on watching that one.
        try await Command.output(of: ["sh", "-c", "rm -r \(directory)/*"])
        try await restartCore()
        if let failure { throw failure }
    }

    func restartCore() async throws {
        core.close()
        try await Machine.systemctl("restart", "pttd")
        try await core.open()
    }

    // MARK: - Steps

    /// An application that has joined.
    func application() async throws -> Application {
        try await core.open()
        return try await Application.join(core)
    }

    /// Pairs the button as a person does, unless that was done before; returns when a press will be detected.
    func paired(_ button: Button) async throws {
        try await accessories.open()
        if accessories.device(button.address).map({ $0.link == .unused }) ?? true {
            try await pair(button)
        }
        try await ready(button)
    }

    /// `pttctl pair`, and the press and the release that it asks for.
    ///
    /// - Parameters:
    ///   - button: The button, which need not be known to bluetoothd.
    ///   - options: Of `pttctl pair`.
    ///   - prefix: Runs it as another user.
    ///   - press: Presses it.
    ///   - release: Releases it.
    /// - Throws: ``Failure`` if it is not enrolled.
    func pair(
        _ button: Button,
        _ options: String...,
        by prefix: [String] = [],
        press: @escaping @EventLoop (Button) async throws -> Void = ButtonSimulator.press,
        release: @escaping @EventLoop (Button) async throws -> Void = ButtonSimulator.release
    ) async throws {
        let command = try Command(prefix + ["pttctl", "pair", button.name] + options)
        for (prompt, step) in [("now press", press), ("now release", release)] {
            try await until("pttctl pair asks: \(prompt)", within: .seconds(150)) {
                command.output.contains(prompt) || command.status != nil
            }
            // A button that never reports its release is enrolled after the press.
            if command.status == 0 { break }
            guard command.status == nil else { throw Failure("pttctl pair has ended: \(command.output)") }
            try await step(button)
        }
        guard try await command.end() == 0 else { throw Failure("pttctl pair failed: \(command.output)") }
    }

    func ready(_ button: Button) async throws {
        try await accessories.reachesCore()
        do {
            try await until("\(button.name) is ready", within: .seconds(120)) { [accessories] in
                accessories.isReady(button)
            }
        } catch {
            throw Failure(
                "\(error); ptt-accessoryd reports: \(accessories.device(button.address).map { "\($0)" } ?? "nothing")"
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
        try await ButtonSimulator.press(button)
        try await began(button.address, after: mark)
        try await application.receivesTone()
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
        try await ButtonSimulator.release(button)
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

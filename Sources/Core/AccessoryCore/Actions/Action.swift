package import PTTMessages

/// The function of a button that does not transmit: an entry of `actions.toml`.
package struct Action: Equatable, Sendable {
    /// The devices that it is for.
    package enum Subject: Hashable, Sendable {
        case device(DeviceIdentity)
        /// All devices that are used by the accessory file of this name.
        case accessory(String)
    }

    /// A program and its arguments; never empty. No shell reads them.
    package typealias Command = [String]

    /// The commands of a press and of its release; one of them at least.
    package struct Commands: Equatable, Sendable {
        /// Ends by itself. The release waits for it, for ``grace`` at most.
        package let press: Command?
        /// Runs as long as the button is pressed, in place of `press`.
        package let hold: Command?
        package let release: Command?

        package init(press: Command? = nil, hold: Command? = nil, release: Command? = nil) {
            self.press = press
            self.hold = hold
            self.release = release
        }
    }

    /// The use of the recording of a press, a WAV file.
    package enum Recording: Equatable, Sendable {
        /// A file in this folder, which begins with `/` or `~/`.
        case folder(String)
        /// The standard input of a command, which is run when the recording is complete.
        case command(Command)
    }

    /// The effect of a press.
    package enum Work: Equatable, Sendable {
        case run(Commands)
        /// The microphone is recorded as long as the button is pressed.
        case record(Recording)
        /// A key of a virtual input device is down as long as the button is pressed: the kernel's code.
        case key(UInt16)
    }

    /// The longest time for which a release waits for the command of its press.
    package static let grace = Duration.seconds(2)
    package static let standardLimit = Duration.seconds(300)
    /// In seconds.
    package static let limits = 1...86_400

    package let subject: Subject
    package let role: ButtonRole
    package let work: Work
    /// After this time a press counts as released.
    package let limit: Duration

    package init(_ subject: Subject, _ role: ButtonRole, _ work: Work, limit: Duration = standardLimit) {
        self.subject = subject
        self.role = role
        self.work = work
        self.limit = limit
    }
}

/// The entries of all files, those that count first.
package struct ActionList: Equatable, Sendable {
    package var actions: [Action]

    package init(_ actions: [Action] = []) {
        self.actions = actions
    }

    /// The action of a button. One for the device, by the identifier of its ``Origin``, counts before one for
    /// its accessory file.
    ///
    /// - Returns: Nil if its presses transmit, or are reported to the application.
    package func action(of device: String, accessory: String, _ role: ButtonRole) -> Action? {
        actions.first { $0.role == role && $0.subject.isDevice(device) }
            ?? actions.first { $0.role == role && $0.subject == .accessory(accessory) }
    }

    /// The keys of a virtual input device that they need.
    package var keys: Set<UInt16> {
        Set(actions.compactMap { if case .key(let code) = $0.work { code } else { nil } })
    }

    /// Returns whether a device has a button with an action.
    package func hasAction(of device: String, accessory: String) -> Bool {
        actions.contains { $0.subject == .accessory(accessory) || $0.subject.isDevice(device) }
    }
}

extension Action.Subject {
    fileprivate func isDevice(_ identifier: String) -> Bool {
        guard case .device(let identity) = self else { return false }
        return identity.text == identifier || identity.bluetoothAddress == identifier
            || DeviceIdentity(bluetoothAddress: identity.text).bluetoothAddress == identifier
    }
}

extension Action.Work: CustomStringConvertible {
    package var commands: Action.Commands? {
        if case .run(let commands) = self { commands } else { nil }
    }

    /// The programs, for people, or what is recorded; or the name of the key, also for ptt-keys.
    package var description: String {
        switch self {
        case .run(let commands):
            [commands.press ?? commands.hold, commands.release].compactMap { $0?.first }
                .joined(separator: ", then ")
        case .record(.folder(let folder)): "record in \(folder)"
        case .record(.command(let command)): "record, then \(command.first ?? "")"
        case .key(let code): KeyName.name(of: code) ?? "\(code)"
        }
    }
}

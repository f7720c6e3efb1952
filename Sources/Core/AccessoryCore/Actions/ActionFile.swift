import PTTMessages

/// The keys of `actions.toml`, as they are written. ``checked()`` checks them.
///
/// `Documentation/Actions.md` says what they mean.
package struct ActionFile: Decodable, Sendable {
    package static let name = "pushtotalk/actions.toml"
    /// In bytes.
    package static let sizeLimit = 64 * 1024
    /// More than a person has buttons; more are refused.
    static let countLimit = 64
    private static let longestCommand = 64

    let action: [Entry]?

    struct Entry: Decodable, Sendable {
        let device: String?
        let accessory: String?
        let button: String
        let press: [String]?
        let hold: [String]?
        let key: String?
        let record: Recording?
        let release: [String]?
        let limit: Int?
    }

    enum Recording: Decodable, Sendable {
        case folder(String)
        case command([String])

        init(from decoder: any Decoder) throws {
            // What is no text is read as a command, whose error says what is expected.
            if let folder = try? decoder.singleValueContainer().decode(String.self) {
                self = .folder(folder)
            } else {
                self = .command(try [String](from: decoder))
            }
        }
    }

    /// - Returns: The entries in their order.
    /// - Throws: The first thing that is wrong, and where.
    package func checked() throws(AccessoryFileProblem) -> [Action] {
        let entries = action ?? []
        guard entries.count <= Self.countLimit else {
            throw AccessoryFileProblem(["action"], "there are more than \(Self.countLimit) actions")
        }
        var actions: [Action] = []
        for (index, entry) in entries.enumerated() {
            do throws(AccessoryFileProblem) {
                let action = try entry.action()
                guard !actions.contains(where: { $0.subject == action.subject && $0.role == action.role })
                else { throw .init(["button"], "there is an action of this button above already") }
                actions.append(action)
            } catch {
                throw AccessoryFileProblem(["action", .index(index)] + error.path, error.reason)
            }
        }
        return actions
    }
}

extension ActionFile.Entry {
    fileprivate func action() throws(AccessoryFileProblem) -> Action {
        guard let role = ButtonRole(fileText: button) else {
            let names = ButtonRole.fileTexts.joined(separator: ", ")
            throw .init(["button"], "\(button) is not a button: use \(names)")
        }
        let limit = limit ?? Int(Action.standardLimit.components.seconds)
        guard Action.limits.contains(limit) else {
            let limits = Action.limits
            throw .init(["limit"], "limit is \(limits.lowerBound) to \(limits.upperBound) seconds")
        }
        return Action(try subject(), role, try work(), limit: .seconds(limit))
    }

    private func subject() throws(AccessoryFileProblem) -> Action.Subject {
        switch (device, accessory) {
        case (let device?, nil):
            guard let identity = DeviceIdentity(device) else {
                throw .init(["device"], "device is not usable: it is what `pttctl devices` shows")
            }
            return .device(identity)
        case (nil, let accessory?): return .accessory(accessory)
        case (nil, nil), (_?, _?): throw .init(["button"], "an action is for a device or for an accessory")
        }
    }

    private func work() throws(AccessoryFileProblem) -> Action.Work {
        let hasCommands = press != nil || hold != nil || release != nil
        switch (key, record) {
        case (nil, nil): return .run(try commands())
        case (let key?, nil) where !hasCommands: return try self.key(key)
        case (nil, let recording?) where !hasCommands: return .record(try self.recording(recording))
        case (nil, _?), (_?, nil), (_?, _?):
            let name = key == nil ? "record" : "key"
            throw .init([.key(name)], "an action has commands, a key or a recording, one of them")
        }
    }

    private func recording(_ recording: ActionFile.Recording) throws(AccessoryFileProblem) -> Action.Recording
    {
        switch recording {
        case .folder(let folder):
            guard folder.hasPrefix("/") || folder.hasPrefix("~/"), !folder.utf8.contains(0) else {
                throw .init(["record"], "a folder begins with / or ~/")
            }
            return .folder(folder)
        case .command(let arguments): return .command(try checked(arguments, "record"))
        }
    }

    private func key(_ key: String) throws(AccessoryFileProblem) -> Action.Work {
        // Buttons of mice and joysticks would make the device one, and games would look for its axes.
        guard key.hasPrefix("KEY_"), let code = KeyName.code(of: key) else {
            throw .init(["key"], "\(key) is no key: use a name of `evtest`, KEY_F13 for example")
        }
        return .key(code)
    }

    private func commands() throws(AccessoryFileProblem) -> Action.Commands {
        let (press, hold) = (try command(press, "press"), try command(hold, "hold"))
        if press != nil, hold != nil { throw .init(["hold"], "an action has press or hold, not both") }
        let release = try command(release, "release")
        if press == nil, hold == nil, release == nil {
            throw .init(["button"], "an action has press, hold, release, key or record")
        }
        return Action.Commands(press: press, hold: hold, release: release)
    }

    private func command(
        _ arguments: [String]?,
        _ key: String
    ) throws(AccessoryFileProblem) -> Action.Command? {
        if let arguments { try checked(arguments, key) } else { nil }
    }

    private func checked(_ arguments: [String], _ key: String) throws(AccessoryFileProblem) -> Action.Command
    {
        guard let program = arguments.first, !program.isEmpty, arguments.count <= ActionFile.longestCommand
        else {
            let limit = ActionFile.longestCommand
            throw .init([.key(key)], "\(key) is a program and its arguments, at most \(limit)")
        }
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw .init([.key(key)], "\(key) has a character that no argument can have")
        }
        return arguments
    }
}

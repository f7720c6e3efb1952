import AccessoryCore
import AccessoryFiles
import ArgumentParser
import CommandLineTool
import EventLoop
import PTTMessages
import ServiceClient
import TOML

struct ActionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "action",
        abstract: "Show, check and try the commands that buttons run in place of transmitting.",
        discussion: "Documentation/Actions.md describes the file, actions.toml.",
        subcommands: [ActionListCommand.self, ActionCheckCommand.self, ActionTestCommand.self]
    )
}

struct ActionListCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the actions that count, and the files that cannot be used."
    )

    private struct Reply: Encodable {
        let actions: [ActionRow]
        let problems: [String]
    }

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let files = ActionFileWatch()
        let rows = files.list.actions.map { ActionRow($0) }
        if output.json {
            Terminal.print(Reply(actions: rows, problems: files.problems))
        } else {
            for row in rows { Terminal.print(row.line) }
            files.list.sayWhatIsNotGranted()
            for problem in files.problems { Terminal.printError(problem) }
            if rows.isEmpty, files.problems.isEmpty {
                let paths = ConfigurationFile.paths(ActionFile.name).joined(separator: " and ")
                Terminal.printError("there is no action in \(paths): every button transmits, or is reported")
            }
        }
        if !files.problems.isEmpty { throw ExitCode.failure }
    }
}

struct ActionCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a file, and say what it does.",
        discussion: "Exit codes: 0 if everything is right, 1 if anything is wrong."
    )

    @Argument(help: "The file.", completion: .file(extensions: ["toml"]))
    var file: String

    func run() throws {
        do {
            guard let text = try TextFile.read(file, limit: ActionFile.sizeLimit) else {
                throw CommandError("there is no such file")
            }
            let list = try ActionList(toml: text)
            for action in list.actions { Terminal.print(ActionRow(action).line) }
            list.sayWhatIsNotGranted()
        } catch {
            Terminal.printError("\(file): \(error)")
            throw ExitCode.failure
        }
    }
}

struct ActionTestCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the action of a button as a press does, and say how it ended."
    )

    @Argument(help: "An identifier or a name as `pttctl devices` shows it.")
    var device: String

    @Argument(help: "The button, named as in actions.toml.", transform: button)
    var button: ButtonRole

    @Option(
        name: .customLong("for"),
        help: "Release it after this time, for example 3s; after one second if left out."
    )
    var limit: TimeSpan?

    private static func button(_ name: String) throws -> ButtonRole {
        guard let role = ButtonRole(fileText: name) else {
            throw ValidationError("the button must be one of \(ButtonRole.fileTexts.joined(separator: ", "))")
        }
        return role
    }

    func perform() async throws {
        let listed = try await ServiceConnection.accessory().devices().devices
        let found = listed.first { $0.identifier == device } ?? listed.first { $0.name == device }
        let press = ActionInterface.PressRequest(
            identifier: found?.identifier ?? device,
            name: found?.name ?? device,
            accessory: found?.accessory ?? "",
            role: button
        )
        try await run(press)
    }

    /// The end of this press is its release, in whatever way it ends.
    @EventLoop
    private func run(_ press: ActionInterface.PressRequest) async throws {
        let (ended, end) = AsyncThrowingStream<Void, any Error>.makeStream()
        let button = try ServiceConnection.actions()
        let events = try ServiceConnection.actions()
        let release = TimerSource { button.close() }
        defer {
            release.disarm()
            button.close()
            events.close()
        }
        events.follow(
            ActionInterface.subscribe,
            { update in
                guard let event = update.event else {
                    // The first update: from now on no event is missed.
                    button.press(
                        press,
                        { _ in },
                        ended: { error in if let error { end.finish(throwing: error) } }
                    )
                    return release.arm(after: limit?.duration ?? .seconds(1))
                }
                guard event.identifier == press.identifier, event.role == press.role else { return }
                Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))")
                if event.kind == .ended { end.finish(throwing: event.remark.map { CommandError($0) }) }
            },
            ended: { end.finish(throwing: $0) }
        )
        for try await _ in ended {}
    }
}

extension ActionList {
    fileprivate func sayWhatIsNotGranted() {
        for key in keysNotGranted() {
            Terminal.printError("\(key) is not granted: sudo pttctl grant actions \(key)")
        }
    }
}

/// An action, as it is listed.
private struct ActionRow: Encodable {
    var device: String?
    var accessory: String?
    let button: String
    var press: [String]?
    var hold: [String]?
    var key: String?
    /// The command that a recording is passed to.
    var record: [String]?
    /// The folder that keeps recordings.
    var folder: String?
    var release: [String]?
    /// In seconds.
    let limit: Int

    init(_ action: Action) {
        button = action.role.fileText
        limit = Int(action.limit.components.seconds)
        switch action.subject {
        case .device(let identity): device = identity.text
        case .accessory(let identifier): accessory = identifier
        }
        switch action.work {
        case .run(let commands): (press, hold, release) = (commands.press, commands.hold, commands.release)
        case .key: key = action.work.description
        case .record(.command(let command)): record = command
        case .record(.folder(let folder)): self.folder = folder
        }
    }

    var line: String {
        let keys = [
            ("press", press), ("hold", hold), ("release", release), ("key", key.map { [$0] }),
            ("record", record ?? folder.map { [$0] }),
        ]
        let commands = keys.compactMap { key, arguments in
            arguments.map { "\(key): \($0.joined(separator: " "))" }
        }
        return "\(device ?? accessory ?? "")  \(button)  \(commands.joined(separator: "; "))"
    }
}

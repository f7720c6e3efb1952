import AccessoryCore
import AccessoryFiles
import ArgumentParser
import CommandLineTool
import EventLoop
import PTTMessages
import ServiceClient
import TOML

struct AccessoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessory",
        abstract: "Show and check the files that describe accessories.",
        discussion: "Documentation/Accessories.md describes the files, and the folders where they are.",
        subcommands: [
            AccessoryListCommand.self, AccessoryCheckCommand.self, AccessoryExplainCommand.self,
        ]
    )
}

struct AccessoryListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the files that count, and those that cannot be used."
    )

    private struct Reply: Encodable {
        struct File: Encodable {
            let accessory: String
            let name: String
            let confidence: String
            let path: String
        }

        let files: [File]
        let problems: [AccessoryCatalog.Problem]

        init(_ catalog: AccessoryCatalog) {
            files = catalog.entries.map {
                File(
                    accessory: $0.definition.identifier,
                    name: $0.definition.name,
                    confidence: $0.definition.confidence.rawValue,
                    path: $0.path
                )
            }
            problems = catalog.problems
        }
    }

    @OptionGroup var output: OutputOptions

    func run() throws {
        let catalog = AccessoryFolders.standard.load()
        if output.json { Terminal.print(Reply(catalog)) } else { show(catalog) }
        if catalog.entries.isEmpty { throw ExitCode.failure }
    }

    private func show(_ catalog: AccessoryCatalog) {
        let width = catalog.entries.map(\.definition.identifier.count).max() ?? 0
        for entry in catalog.entries {
            let definition = entry.definition
            let padding = String(repeating: " ", count: width - definition.identifier.count)
            Terminal.print(
                "\(definition.identifier)\(padding)  \(definition.name), \(definition.confidence.rawValue)  \(entry.path)"
            )
        }
        for problem in catalog.problems {
            Terminal.printError("\(problem.path) is not used: \(problem.reason)")
        }
        guard catalog.entries.isEmpty else { return }
        let folders = AccessoryFolders.standard.paths.joined(separator: ", ")
        Terminal.printError("there is no accessory file in \(folders): no accessory is recognised")
    }
}

struct AccessoryCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a file, say what it does, and replay its examples.",
        discussion: "Exit codes: 0 if everything is right, 1 if anything is wrong."
    )

    @Argument(help: "The file.", completion: .file(extensions: ["toml"]))
    var file: String

    func run() throws {
        let definition: AccessoryDefinition
        do {
            definition = try read()
        } catch {
            Terminal.printError("\(file): \(error)")
            throw ExitCode.failure
        }
        for line in Wording.lines(definition) { Terminal.print(line) }
        let failures = definition.failedExamples()
        for failure in failures { Terminal.printError(Wording.line(failure)) }
        Terminal.print(
            Wording.row(
                "examples",
                "\(definition.examples.count - failures.count) of \(definition.examples.count) as expected"
            )
        )
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func read() throws -> AccessoryDefinition {
        let identifier = AccessoryArgument.identifier(file)
        guard file.hasSuffix(".toml"), identifier.isAccessoryIdentifier else {
            throw CommandError("its name is not letters, digits, - and _ that end in .toml")
        }
        guard let text = try TextFile.read(file, limit: AccessoryFolders.sizeLimit) else {
            throw CommandError("there is no such file")
        }
        return try AccessoryDefinition(toml: text, identifier: identifier)
    }
}

struct AccessoryExplainCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say which file describes a device, and why the others do not."
    )

    @Argument(help: "A Bluetooth address, or an identifier or a name as `pttctl devices` shows it.")
    var device: String

    @Flag(help: "Also why the other files do not match.")
    var all = false

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let reply = try await ServiceConnection.accessory()
            .call(AccessoryInterface.explain, .init(identifier: device))
        if output.json { return Terminal.print(reply) }
        for line in Wording.lines(reply, includesOthers: all) { Terminal.print(line) }
    }
}

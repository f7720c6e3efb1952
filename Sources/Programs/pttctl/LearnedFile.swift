import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages
import TOML

/// The accessory file of what was learned, and the enrolment that goes with it.
struct LearnedFile {
    /// The last line of `--json`.
    struct Summary: Encodable {
        let accessory: String
        let path: String
        let mode: String
        let facts: [String]

        init(_ file: LearnedFile, _ learned: LearnedInput) {
            accessory = file.identifier
            path = file.path
            mode = (learned.gesture.mode ?? .hold).rawValue
            facts = learned.facts.map(\.description)
        }
    }

    let identifier: String
    let path: String
    let text: String
    private let identity: DeviceIdentity
    private let replaces: Bool

    /// Makes the text and checks it as any accessory file is, by reading it.
    ///
    /// - Throws: If the result does not pass, or if there is an accessory of this name and it is not to be
    ///   replaced.
    init(
        _ result: LearningDialog.Result,
        name: String?,
        replaces: Bool,
        in folder: String? = AccessoryFolders.user,
        known: AccessoryCatalog = AccessoryFolders.standard.load()
    ) throws {
        guard let folder, let identity = DeviceIdentity(result.device.identity) else {
            throw CommandError(
                localized("neither XDG_CONFIG_HOME nor HOME is set: there is no place for the accessory")
            )
        }
        identifier = try Self.identifier(name, for: result.device, replaces: replaces, known: known)
        path = "\(folder)/\(identifier).toml"
        self.identity = identity
        self.replaces = replaces
        let definition = result.learned.definition(
            identifier: identifier,
            for: Self.description(of: result.device),
            from: result.recording
        )
        text = definition.fileText
        let read: AccessoryDefinition
        do throws(TOMLError) {
            read = try AccessoryDefinition(toml: text, identifier: identifier)
        } catch {
            throw CommandError(
                localized("what was learned does not pass the check of accessory files: \("\(error)")")
            )
        }
        // What counts is the file as ptt-accessoryd reads it.
        do throws(LearningFailure) {
            try result.recording.check(read)
        } catch {
            throw CommandError(localized("nothing was learned: \(error.text)"))
        }
        guard read.failedExamples().isEmpty else {
            throw CommandError(localized("what was learned does not replay its own recording"))
        }
    }

    /// Writes both files, the enrolment last: without its accessory file it would mean another one.
    func write() throws {
        try TextFile.edit(path, limit: AccessoryFolders.sizeLimit) { before in
            guard before == nil || replaces else {
                throw CommandError(localized("\(path) exists: use --name, or --replace"))
            }
            return text
        }
        try EnrolledDeviceFile.set(Enrolment(identity, accessory: identifier))
    }

    private static func description(of device: AccessoryInterface.LearnedDevice) -> DeviceDescription {
        // A file with another name would not pass the check.
        let name = device.name.isEmpty || !device.name.isPrintable ? nil : device.name
        if let transport = InputTransport(rawValue: device.transport) {
            let product = device.product.flatMap { ProductID($0) } ?? ProductID(vendor: 0, product: 0)
            return DeviceDescription(name: name, link: .input(transport, product, keys: []))
        }
        let address = DeviceIdentity(device.identity)?.bluetoothAddress ?? ""
        return DeviceDescription(name: name, link: .bluetooth(address: address, services: []))
    }

    /// The name of the accessory: as chosen by the person, or made of that of the device.
    ///
    /// - Throws: If there is one of this name, and it is not to be replaced.
    static func identifier(
        _ name: String?,
        for device: AccessoryInterface.LearnedDevice,
        replaces: Bool,
        known: AccessoryCatalog = AccessoryFolders.standard.load()
    ) throws -> String {
        let chosen = name ?? Self.identifier(for: device)
        guard replaces || known[chosen] == nil else {
            throw CommandError(localized("there is an accessory \(chosen): use --name, or --replace"))
        }
        return chosen
    }

    /// `learned-ptt-z01` for `PTT-Z01`.
    private static func identifier(for device: AccessoryInterface.LearnedDevice) -> String {
        let allowed = device.name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let words = String(allowed).split(separator: "-").joined(separator: "-").prefix(48)
        return words.isEmpty ? "learned" : "learned-\(words)"
    }
}

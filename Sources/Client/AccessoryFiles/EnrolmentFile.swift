package import AccessoryCore
import EventLoop
import JSON
package import PTTMessages
package import TOML

/// `devices.toml`: the enrolled devices, in text that people may edit as well.
///
/// `pttctl` writes that in the user's configuration; ptt-accessoryd reads it and the machine's, and cannot
/// write anywhere.
package enum EnrolmentFile {
    /// In bytes.
    package static let sizeLimit = 64 * 1024
    /// More devices than a person has; what follows in the file is refused.
    package static let countLimit = 256
    /// A file with more mistakes is not one that a person has edited.
    private static let problemLimit = 16

    private static let name = "pushtotalk/devices.toml"

    /// The user's; nil without a home directory.
    package static var path: String? { UserDirectory.configuration.path.map { "\($0)/\(name)" } }

    /// The machine's, then the user's, whose entry for a device replaces that of the machine.
    package static var paths: [String] { ConfigurationFile.paths(name) }

    /// - Returns: Nothing if there is no such file.
    package static func read(_ path: String) throws -> Contents {
        try parse(try TextFile.read(path, limit: sizeLimit) ?? "")
    }

    /// The usable entries of a file, and what is wrong with the others.
    package struct Contents: Equatable, Sendable {
        package let enrolments: [Enrolment]
        package let problems: [TOMLError]
    }

    /// - Parameter text: The contents of the file.
    /// - Returns: An unusable entry is among the problems, and disables no other.
    /// - Throws: If the text is not TOML, or has no array of tables where the devices should be.
    package static func parse(_ text: String) throws(TOMLError) -> Contents {
        let document = try TOML.parse(text)
        var enrolments: [Enrolment] = []
        var problems: [TOMLError] = []
        for member in document.object?.members ?? [] where member.key != "device" {
            let place = TOML.place(of: [.key(member.key)], in: text)
            problems.append(TOMLError(place: place, reason: "\(member.key) is not known"))
        }
        for (index, entry) in try tables(in: document, text).enumerated() {
            do throws(EntryError) {
                guard index < countLimit else { throw .init([], "there are more than \(countLimit) devices") }
                let enrolment = try entry.enrolment()
                guard !enrolments.contains(where: { $0.identity == enrolment.identity }) else {
                    throw .init(["identity"], "\(enrolment.identity) is listed above already")
                }
                enrolments.append(enrolment)
            } catch {
                guard problems.count < problemLimit else { break }
                let path: [JSON.Step] = ["device", .index(index)] + error.path
                problems.append(TOMLError(place: TOML.place(of: path, in: text), reason: error.reason))
            }
        }
        return Contents(enrolments: enrolments, problems: problems)
    }

    private static func tables(in document: JSON, _ text: String) throws(TOMLError) -> [JSON] {
        switch document.object?["device"] {
        case .array(let elements)?: return elements
        case nil: return []
        case .some:
            let place = TOML.place(of: ["device"], in: text)
            throw TOMLError(place: place, reason: "device should be an array of tables: write [[device]]")
        }
    }
}

/// An error in one entry.
private struct EntryError: Error {
    /// Of the value, inside the entry; empty for the whole entry.
    let path: [JSON.Step]
    let reason: String

    init(_ path: [JSON.Step], _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// The keys of an entry.
private struct Entry: Decodable {
    let identity: String
    let accessory: String?
    let key: String?
    let name: String?
    let mode: String?
    let roles: [String: String]?
    let restore: [Restoration]?
    let bindKey: String?

    enum CodingKeys: String, CodingKey {
        case identity, accessory, key, name, mode, roles, restore
        case bindKey = "bind-key"
    }
}

extension JSON {
    fileprivate func enrolment() throws(EntryError) -> Enrolment {
        let entry: Entry
        do throws(JSONDecodingError) {
            entry = try decode(Entry.self)
        } catch {
            throw EntryError(error.steps, error.description)
        }
        guard let identity = DeviceIdentity(entry.identity) else {
            let limit = "1 to \(DeviceIdentity.longest) bytes without control characters"
            throw EntryError(["identity"], "identity is not usable: it has \(limit)")
        }
        var enrolment = Enrolment(identity, roles: try Self.roles(entry.roles ?? [:]))
        enrolment.accessory = try entry.accessory.map(Self.identifier)
        enrolment.key = try entry.key.map(Self.key)
        enrolment.name = try entry.name.map(Self.name)
        enrolment.mode = try entry.mode.map(Self.mode)
        for (index, restoration) in (entry.restore ?? []).enumerated() {
            guard let restoration = Enrolment.Restoration(restoration) else {
                let reason = "restore has a UUID or bits that are not hexadecimal"
                throw EntryError(["restore", .index(index)], reason)
            }
            enrolment.restorations.append(restoration)
        }
        if let text = entry.bindKey {
            guard let key = Enrolment.bindKey(text) else {
                throw EntryError(["bind-key"], "bind-key is not 32 hexadecimal digits")
            }
            enrolment.bindKey = key
        }
        return enrolment
    }

    private static func identifier(_ text: String) throws(EntryError) -> String {
        let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard !text.isEmpty, text.utf8.count <= 64, isName else {
            throw EntryError(["accessory"], "accessory is the name of an accessory file without .toml")
        }
        return text
    }

    private static func key(_ name: String) throws(EntryError) -> UInt16 {
        guard let code = Enrolment.keyCode(of: name) else {
            throw EntryError(
                ["key"],
                "\(name) is no key: use a name of `evtest`, BTN_TRIGGER for example, or CTS, DSR, DCD or RI"
            )
        }
        return code
    }

    private static func name(_ text: String) throws(EntryError) -> String {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        // As long as BlueZ's own names (Bluetooth Core Specification, Volume 3, Part C, 3.2.2).
        guard !text.isEmpty, text.utf8.count <= 248, isPrintable else {
            throw EntryError(["name"], "name is empty, longer than 248 bytes, or has a control character")
        }
        return text
    }

    private static func mode(_ text: String) throws(EntryError) -> ButtonMode {
        guard let mode = ButtonMode(rawValue: text), mode != .unknown else {
            throw EntryError(["mode"], "mode is \"hold\", \"toggle\" or \"latch\"")
        }
        return mode
    }

    private static func roles(_ names: [String: String]) throws(EntryError) -> [ButtonRole: ButtonRole] {
        var roles: [ButtonRole: ButtonRole] = [:]
        for (button, name) in names.sorted(by: { $0.key < $1.key }) {
            let key = try role(button, "button", at: ["roles"])
            roles[key] = try role(name, "role", at: ["roles", .key(button)])
        }
        return roles
    }

    private static func role(_ text: String, _ kind: String, at path: [JSON.Step]) throws(EntryError)
        -> ButtonRole
    {
        guard let role = ButtonRole(fileText: text) else {
            let texts = ButtonRole.fileTexts.joined(separator: ", ")
            throw EntryError(path, "\(text) is not a \(kind): use \(texts)")
        }
        return role
    }
}

extension Enrolment.Restoration {
    /// Nil if it has anything but UUIDs and 1 to 512 bytes, the longest value of a characteristic.
    package init?(_ text: Restoration) {
        guard let service = GattUUID(text.service), let characteristic = GattUUID(text.characteristic),
            let bits = [UInt8](hexadecimal: text.bits), !bits.isEmpty, bits.count <= 512
        else { return nil }
        self.init(GattAttribute(service: service, characteristic: characteristic), bits: bits)
    }
}

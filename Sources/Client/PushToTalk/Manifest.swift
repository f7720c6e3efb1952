import EventLoop
import Foundation
import PTTMessages
import TOML

/// The identity of the application towards the core, and the way in which it is started. It replaces
/// `Info.plist` and the entitlements, without which Apple's systems create no channel manager.
///
/// The file is `$PTT_MANIFEST`, or `<executable>.ptt.toml` beside the executable, or
/// `pushtotalk/applications/<executable>.toml` in a data directory of the XDG Base Directory Specification,
/// the first that exists. An application without a manifest has the name of its executable, and only a person
/// can start it.
struct Manifest: Equatable {
    let identifier: String
    let name: String
    let activation: Activation?

    /// The keys of the file.
    private struct Keys: Decodable {
        let identifier: String
        let name: String?
        let systemdUnit: String?
        let busName: String?
        let pushEnvironment: String?

        enum CodingKeys: String, CodingKey {
            case identifier
            case name
            case systemdUnit = "systemd-unit"
            case busName = "bus-name"
            case pushEnvironment = "push-environment"
        }
    }

    static func load() throws(PTInstantiationError) -> Manifest {
        if let path = Environment.variable("PTT_MANIFEST") {
            guard let manifest = try read(path) else {
                throw PTInstantiationError(.unknown, reason: "PTT_MANIFEST is \(path), which cannot be read")
            }
            return manifest
        }
        for path in paths {
            if let manifest = try read(path) { return manifest }
        }
        return Manifest(identifier: executable, name: executable, activation: nil)
    }
}

extension Manifest {
    init(_ text: String, path: String) throws(PTInstantiationError) {
        let keys: Keys
        do {
            keys = try TOML.decode(Keys.self, from: text)
        } catch {
            throw PTInstantiationError(.unknown, reason: "\(path): \(error)")
        }
        identifier = keys.identifier
        name = keys.name ?? keys.identifier
        if let unit = keys.systemdUnit {
            activation = Activation(kind: .systemdUnit, name: unit)
        } else if let busName = keys.busName {
            activation = Activation(kind: .busName, name: busName)
        } else {
            let reason = "\(path) has neither systemd-unit nor bus-name: nothing can start the application"
            throw PTInstantiationError(.missingBackgroundMode, reason: reason)
        }
        guard keys.pushEnvironment != nil else {
            let reason = "\(path) has no push-environment: write push-environment = \"local\""
            throw PTInstantiationError(.missingPushServerEnvironment, reason: reason)
        }
    }

    private static func read(_ path: String) throws(PTInstantiationError) -> Manifest? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try Manifest(String(decoding: data, as: UTF8.self), path: path)
    }

    /// The kernel's link to the running program (proc(5)).
    private static var program: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }

    private static var executable: String { program.lastPathComponent }

    private static var paths: [String] {
        let name = executable
        return ["\(program.path).ptt.toml"]
            + UserDirectory.allData.map { "\($0)/pushtotalk/applications/\(name).toml" }
    }
}

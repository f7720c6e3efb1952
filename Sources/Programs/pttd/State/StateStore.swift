import EventLoop
import Glibc
import JSON
import Logging
import PTTCore
import PTTMessages

/// The channel on disk, so that its application gets it back after a crash of anything or a reboot.
///
/// A file is written beside its place, flushed, and moved there: whatever ends in between, the old one or the new one
/// is found (rename(2)).
struct StateStore {
    /// `channel.json` with what the core needs, `descriptor.json` with what people see.
    private enum File: String {
        case channel = "channel.json"
        case descriptor = "descriptor.json"
    }

    private struct SavedDescriptor: Codable {
        let name: String
        let image: String?
    }

    /// An image in base64 and a name, with room to spare.
    private static let sizeLimit = 512 * 1024

    private let directory: String?
    private let log: Logger

    /// - Parameters:
    ///   - directory: Made when it is needed; nil: nothing is kept.
    ///   - log: Told of what could not be read or written.
    init(_ directory: String?, log: Logger) {
        self.directory = directory
        self.log = log
    }

    /// What an earlier run has saved. A file that cannot be used is moved aside, and counts as none.
    func load() -> (channel: SavedChannel, descriptor: Descriptor?)? {
        guard let channel = read(SavedChannel.self, from: .channel) else { return nil }
        let descriptor = read(SavedDescriptor.self, from: .descriptor)
        return (channel, descriptor.map { Descriptor(name: $0.name, image: image($0.image)) })
    }

    /// - Parameter channel: Nil: there is none.
    func save(_ channel: SavedChannel?) {
        save(channel, to: .channel)
    }

    /// As above.
    func save(_ descriptor: Descriptor?) {
        let saved = descriptor.map { SavedDescriptor(name: $0.name, image: $0.image?.base64) }
        save(saved, to: .descriptor)
    }

    private func image(_ base64: String?) -> Image? {
        guard let base64 else { return nil }
        do throws(Image.Unusable) {
            return try Image(base64: base64)
        } catch {
            log.error("the saved picture of the channel is lost: \(error)")
            return nil
        }
    }

    // MARK: Files

    private func read<Value: Decodable>(_ type: Value.Type, from file: File) -> Value? {
        guard let directory else { return nil }
        let path = "\(directory)/\(file.rawValue)"
        do {
            guard let bytes = try TextFile.read(path, limit: Self.sizeLimit) else { return nil }
            guard let object = try JSON(parsing: bytes).object else { throw Damage("it is no JSON object") }
            return try object.decode(type, unknownKeys: .ignored)
        } catch {
            log.error("\(path) cannot be used, and is kept as \(path).damaged: \(error)")
            // If even this fails, the next save replaces it.
            _ = rename(path, path + ".damaged")
            return nil
        }
    }

    private func save(_ value: (some Encodable)?, to file: File) {
        guard let directory else { return }
        let path = "\(directory)/\(file.rawValue)"
        do {
            if let value {
                let text = try JSON(encoding: value).text
                try make(directory)
                try fill(path + ".new", with: Array(text.utf8))
                guard rename(path + ".new", path) == 0 else { throw SystemError("move \(path).new") }
            } else if unlink(path) != 0 {
                // There was none, and nothing has changed.
                if errno == ENOENT { return }
                throw SystemError("remove \(path)")
            }
            try flush(directory)
        } catch {
            log.error("\(path) cannot be written, and a restart will find an earlier state: \(error)")
        }
    }

    private func fill(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let created = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard created >= 0 else { throw SystemError("create \(path)") }
        let descriptor = OwnedDescriptor(adopting: created)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor.value, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError("write \(path)") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor.value) == 0 else { throw SystemError("flush \(path)") }
    }

    /// With the directories above it. Those that are there already may be anybody's.
    private func make(_ directory: String) throws(SystemError) {
        var made = ""
        for part in directory.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o700) == 0 || [EEXIST, EROFS, EACCES].contains(errno) else {
                throw SystemError("create \(made)")
            }
        }
    }

    /// A name is on disk when its directory is (fsync(2)).
    private func flush(_ directory: String) throws(SystemError) {
        let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError("open \(directory)") }
        let descriptor = OwnedDescriptor(adopting: opened)
        guard fsync(descriptor.value) == 0 else { throw SystemError("flush \(directory)") }
    }
}

private struct Damage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

import EventLoop
import JSON
import PTTCore

extension StateStore {
    /// `channel.json` is for the core, `descriptor.json` for people, and `volume.json` is what they have set.
    enum File: String, CaseIterable, Codable {
        case descriptor = "descriptor.json"
        case channel = "channel.json"
        case volume = "volume.json"
    }

    struct SavedDescriptor: Codable {
        let name: String
        let image: String?
    }

    struct SavedVolume: Codable {
        let volume: Int
    }

    /// All files in one, but for those that could not be read.
    struct Aside: Codable {
        let channel: SavedChannel?
        let descriptor: SavedDescriptor?
        let volume: SavedVolume?
        /// Still to be read from the disk. Nil if an older version has written this.
        let unread: Set<File>?

        static let name = "state.json"
    }

    /// The files on disk, as they were read.
    struct Reading {
        let channel: Result<SavedChannel?, any Error>
        let descriptor: Result<SavedDescriptor?, any Error>
        let volume: Result<SavedVolume?, any Error>

        init(_ directory: StateDirectory) {
            channel = Result { try directory.decode(SavedChannel.self, File.channel.rawValue) }
            descriptor = Result { try directory.decode(SavedDescriptor.self, File.descriptor.rawValue) }
            volume = Result { try directory.decode(SavedVolume.self, File.volume.rawValue) }
        }
    }
}

extension StateDirectory {
    /// - Returns: Nil if there is no such file.
    /// - Throws: ``SystemError`` if it cannot be read, anything else if it is damaged.
    func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        // An image in base64 and a name, with room to spare.
        let limit = 512 * 1024
        guard let text = try TextFile.read("\(path)/\(name)", limit: limit) else { return nil }
        guard let object = try JSON(parsing: text).object else {
            throw Damage(description: "it is not a JSON object")
        }
        return try object.decode(type, unknownKeys: .ignored)
    }
}

private struct Damage: Error, CustomStringConvertible {
    let description: String
}

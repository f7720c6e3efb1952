import Foundation
import PushToTalk

/// The application's own memory of its channel. The system keeps the channel when the application ends; the application
/// keeps what it needs to know it again.
struct SavedChannel: Codable {
    let uuid: UUID
    let name: String

    var descriptor: PTChannelDescriptor { PTChannelDescriptor(name: name, image: nil) }

    /// The channel of the last run, or a new one.
    static func load() throws -> SavedChannel {
        // A file that is missing or damaged: a new channel costs nothing here.
        if let data = try? Data(contentsOf: file),
            let channel = try? JSONDecoder().decode(SavedChannel.self, from: data)
        {
            return channel
        }
        let channel = SavedChannel(uuid: UUID(), name: "Echo")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try JSONEncoder().encode(channel).write(to: file, options: .atomic)
        return channel
    }

    /// `$XDG_STATE_HOME/ptt-echo/channel.json`
    private static var file: URL {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"] ?? NSHomeDirectory() + "/.local/state"
        return URL(fileURLWithPath: state).appendingPathComponent("ptt-echo/channel.json")
    }
}

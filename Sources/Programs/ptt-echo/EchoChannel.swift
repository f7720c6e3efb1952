import Foundation
import PushToTalk

/// The channel's UUID and name, which the application saves itself. The system keeps a channel joined when
/// its application ends, and identifies it by the UUID at the next start.
struct EchoChannel: Codable {
    let uuid: UUID
    let name: String

    var descriptor: PTChannelDescriptor { PTChannelDescriptor(name: name, image: nil) }

    /// The channel of the last run, or a new one.
    static func load() throws -> EchoChannel {
        // If the file is missing or damaged, a new channel is as good.
        if let data = try? Data(contentsOf: file),
            let channel = try? JSONDecoder().decode(EchoChannel.self, from: data)
        {
            return channel
        }
        let channel = EchoChannel(uuid: UUID(), name: "Echo")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try JSONEncoder().encode(channel).write(to: file, options: .atomic)
        return channel
    }

    /// `$XDG_STATE_HOME/ptt-echo/channel.json`. A path that is not absolute counts as none (XDG Base
    /// Directory Specification).
    private static var file: URL {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // The specification names $HOME, which Foundation does not look at.
        let usual = (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        return URL(fileURLWithPath: state ?? usual).appendingPathComponent("ptt-echo/channel.json")
    }
}

import Foundation
import Glibc
import MumbleCore

/// The files of the person who runs this program.
enum UserFiles {
    struct Failure: LocalizedError {
        let text: String
        var cure: Finding.Cure?

        var errorDescription: String? { cure.map { "\(text): \($0.text)" } ?? text }
    }

    /// `$XDG_DATA_HOME/ptt-mumble/identity.pem`: who we are for servers. To be kept, as a key of a house.
    static var identity: URL {
        directory("XDG_DATA_HOME", ".local/share").appendingPathComponent("identity.pem")
    }

    /// `$XDG_STATE_HOME/ptt-mumble/known-servers`
    static var knownServers: URL {
        directory("XDG_STATE_HOME", ".local/state").appendingPathComponent("known-servers")
    }

    /// `$XDG_STATE_HOME/ptt-mumble/channel`: what was talked to last.
    static var lastChannel: URL {
        directory("XDG_STATE_HOME", ".local/state").appendingPathComponent("channel")
    }

    /// `$XDG_CONFIG_HOME/pushtotalk/mumble.toml`: channels with names.
    static var channels: URL {
        directory("XDG_CONFIG_HOME", ".config", "pushtotalk").appendingPathComponent("mumble.toml")
    }

    /// - Returns: The list in the file ``channels``, an empty one if it is not there.
    /// - Throws: If it cannot be used, or others could read a password in it.
    static func channelList() throws -> ChannelList {
        let file = channels
        let list: ChannelList
        do {
            list = try ChannelList(try read(file) ?? "")
        } catch let error as ChannelList.Invalid {
            throw Failure(text: "\(file.path), \(error)")
        }
        guard list.hasPassword else { return list }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
        guard mode & 0o077 != 0 else { return list }
        throw Failure(
            text: "\(file.path) has a password, and others may read it",
            cure: .command("chmod 600 \(file.path)")
        )
    }

    /// XDG Base Directory Specification 0.8: a path that is not absolute counts as none.
    private static func directory(_ variable: String, _ usual: String, _ name: String = "ptt-mumble") -> URL {
        let environment = ProcessInfo.processInfo.environment
        let value = environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // The specification names $HOME, which Foundation does not look at.
        let home = environment["HOME"] ?? NSHomeDirectory()
        return URL(fileURLWithPath: value ?? "\(home)/\(usual)").appendingPathComponent(name)
    }

    /// - Returns: Nil if there is no such file.
    static func read(_ file: URL) throws -> String? {
        do {
            return try String(contentsOf: file, encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw Failure(text: "\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Replaces a file as a whole, for the eyes of this person only.
    static func write(_ text: String, to file: URL) throws {
        let folder = file.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure(text: "\(folder.path) cannot be made: \(error.localizedDescription)")
        }
        let temporary = folder.appendingPathComponent(".\(file.lastPathComponent).\(getpid())").path
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", temporary) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw failure("write", temporary)
        }
        guard rename(temporary, file.path) == 0 else { throw failure("write", file.path) }
    }

    private static func failure(_ verb: String, _ path: String) -> Failure {
        Failure(text: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}

import EventLoop
import Glibc
import JSON
import Journal
import Logging
import PTTCore
import PTTMessages

/// The channel on disk, so that its application gets it back after a crash of anything or a reboot.
///
/// While the disk cannot be written, the state is kept aside in the runtime directory, which is in memory: a restarted
/// core finds it there, a rebooted machine does not.
@EventLoop
final class StateStore {
    /// The result of a write, or the end of a wait, in the terms of `SaveOrder`.
    enum Report {
        case written
        case notWritten(reason: String)
        case overdue(reason: String)
        case retryTimeCame
    }

    /// What an earlier run has saved.
    struct Found {
        let channel: SavedChannel?
        let descriptor: Descriptor?
        /// In percent; nil if no person has set it.
        let volume: Int?
        /// Whether it was kept aside; what is on disk is older.
        let isAside: Bool
    }

    /// `channel.json` has what the core needs, `descriptor.json` what people see, `volume.json` what they have set.
    private enum File: String, CaseIterable {
        case descriptor = "descriptor.json"
        case channel = "channel.json"
        case volume = "volume.json"
    }

    private struct SavedDescriptor: Codable {
        let name: String
        let image: String?
    }

    private struct SavedVolume: Codable {
        let volume: Int
    }

    /// All files in one.
    private struct Aside: Codable {
        let channel: SavedChannel?
        let descriptor: SavedDescriptor?
        let volume: SavedVolume?

        static let name = "state.json"
    }

    /// An image in base64 and a name, with room to spare.
    private static let sizeLimit = 512 * 1024
    /// A write that takes longer counts as failed, so that clients that wait for an answer still receive it in time.
    private static let writeTimeout = Duration.seconds(2)

    private let directory: StateDirectory?
    private let aside: StateDirectory?
    private let log: RateLimitedLog
    private var channel: SavedChannel?
    private var descriptor: Descriptor?
    private var volume: SavedVolume?
    /// The files that differ from what is on disk, or may do so.
    private var unwritten: Set<File> = []
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(300))
    private var deadline: TimerSource?
    private var retryTimer: TimerSource?

    /// Called for each result of ``write()`` and ``retryLater()``; from within them if nothing can be written at all.
    var report: @EventLoop (Report) -> Void = { _ in }

    /// - Parameters:
    ///   - directory: Created when it is needed; nil: nothing is kept.
    ///   - aside: Where the state is kept while it cannot be written to `directory`.
    ///   - log: For files that cannot be read.
    init(_ directory: String?, aside: String?, log: RateLimitedLog) {
        self.directory = directory.map { StateDirectory(path: $0, isOnDisk: true) }
        self.aside = aside.map { StateDirectory(path: $0, isOnDisk: false) }
        self.log = log
        deadline = TimerSource { [weak self] in
            self?.report(.overdue(reason: "\(directory ?? "") does not answer within \(Self.writeTimeout)"))
        }
        retryTimer = TimerSource { [weak self] in self?.report(.retryTimeCame) }
    }

    /// What an earlier run has saved; nil if nothing is kept. A file that cannot be used is renamed, and counts as
    /// missing.
    func load() -> Found? {
        if let aside, let kept = read(Aside.self, Aside.name, in: aside) {
            channel = kept.channel
            descriptor = kept.descriptor.map { Descriptor(name: $0.name, image: image($0.image)) }
            volume = kept.volume
            unwritten = Set(File.allCases)
            return found(isAside: true)
        }
        guard let directory else { return nil }
        volume = read(SavedVolume.self, File.volume.rawValue, in: directory)
        channel = read(SavedChannel.self, File.channel.rawValue, in: directory)
        if channel != nil {
            descriptor = read(SavedDescriptor.self, File.descriptor.rawValue, in: directory)
                .map { Descriptor(name: $0.name, image: image($0.image)) }
        }
        return found(isAside: false)
    }

    private func found(isAside: Bool) -> Found {
        Found(channel: channel, descriptor: descriptor, volume: volume?.volume, isAside: isAside)
    }

    /// Stores the channel for the next ``write()``. Nil: none is joined.
    func save(_ channel: SavedChannel?) {
        self.channel = channel
        unwritten.insert(.channel)
    }

    /// Stores the descriptor for the next ``write()``. Nil: there is none.
    func save(_ descriptor: Descriptor?) {
        self.descriptor = descriptor
        unwritten.insert(.descriptor)
    }

    /// Stores the volume for the next ``write()``. That of a new installation has no file.
    func save(volume: Int) {
        self.volume = volume == Status.defaultVolume ? nil : SavedVolume(volume: volume)
        unwritten.insert(.volume)
    }

    /// Begins to write the files that have changed. One write must have ended before the next begins.
    func write() {
        retryTimer?.disarm()
        // Without a directory nothing is kept, which was logged when the program started.
        guard let directory else { return report(.written) }
        let files = File.allCases.filter { unwritten.contains($0) }
        unwritten = []
        do throws(SystemError) {
            let changes = files.map { change($0) }
            try EventLoop.spawnBlocking {
                directory.failure(of: changes)
            } completion: { [weak self] failure in
                self?.ended(files, failure)
            }
            deadline?.arm(after: Self.writeTimeout)
        } catch {
            ended(files, error)
        }
    }

    func retryLater() {
        retryTimer?.arm(after: backOff.next())
    }

    private func ended(_ files: [File], _ failure: SystemError?) {
        deadline?.disarm()
        if let failure {
            unwritten.formUnion(files)
            report(.notWritten(reason: "\(failure)"))
        } else {
            backOff.reset()
            report(.written)
        }
    }

    // MARK: Aside

    func keepAside() {
        guard let aside else { return }
        let kept = Aside(channel: channel, descriptor: savedDescriptor, volume: volume)
        do throws(SystemError) {
            try aside.apply([.replace(name: Aside.name, bytes: bytes(kept))])
        } catch {
            log.log(level: .error, "the state cannot be kept in the runtime directory either: \(error)")
        }
    }

    func forgetAside() {
        guard let aside else { return }
        do throws(SystemError) {
            try aside.apply([.remove(name: Aside.name)])
        } catch {
            log.log(level: .error, "a restart will find older state than is on disk: \(error)")
        }
    }

    // MARK: Contents

    private func change(_ file: File) -> StateDirectory.Change {
        let name = file.rawValue
        let text: [UInt8]? =
            switch file {
            case .channel: channel.map { bytes($0) }
            case .descriptor: savedDescriptor.map { bytes($0) }
            case .volume: volume.map { bytes($0) }
            }
        guard let text else { return .remove(name: name) }
        return .replace(name: name, bytes: text)
    }

    private var savedDescriptor: SavedDescriptor? {
        descriptor.map { SavedDescriptor(name: $0.name, image: $0.image?.base64) }
    }

    private func bytes(_ value: some Encodable) -> [UInt8] {
        do throws(JSONEncodingError) {
            return Array(try JSON(encoding: value).text.utf8)
        } catch {
            // Our own files are objects of strings, integers and flags, which JSON can always represent.
            preconditionFailure("\(error)")
        }
    }

    private func image(_ base64: String?) -> Image? {
        guard let base64 else { return nil }
        do throws(Image.Unusable) {
            return try Image(base64: base64)
        } catch {
            log.log(level: .error, "the saved picture of the channel is lost: \(error)")
            return nil
        }
    }

    private func read<Value: Decodable>(
        _ type: Value.Type,
        _ name: String,
        in directory: StateDirectory
    ) -> Value? {
        let path = "\(directory.path)/\(name)"
        do {
            guard let bytes = try TextFile.read(path, limit: Self.sizeLimit) else { return nil }
            guard let object = try JSON(parsing: bytes).object else {
                throw Damage("it is not a JSON object")
            }
            return try object.decode(type, unknownKeys: .ignored)
        } catch {
            log.log(level: .error, "\(path) cannot be used, and is kept as \(path).damaged: \(error)")
            // If even this fails, the next save replaces the file.
            _ = rename(path, path + ".damaged")
            return nil
        }
    }
}

private struct Damage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

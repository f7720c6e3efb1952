import EventLoop
import Glibc
import JSON
import Journal
import Logging
import PTTCore
import PTTMessages

/// The channel on disk, so that its application gets it back after a crash of anything or a reboot.
///
/// A change is at once in the runtime directory, which is in memory and outlives this process, and then on
/// disk, for which nothing waits: a press, a reply and an event are as fast on a slow disk. What a power cut
/// loses is what the disk has not taken by then. A channel that no application owns is never on disk: after a
/// reboot it would open the microphone for nobody.
@EventLoop
final class StateStore {
    /// A write that takes longer is reported, and a core that stops does not wait for it.
    private static let writeTimeout = Duration.seconds(2)

    private let directory: StateDirectory?
    private let aside: StateDirectory?
    private let log: RateLimitedLog
    private(set) var channel: SavedChannel?
    private(set) var descriptor: Descriptor?
    /// In percent; nil if no person has set it.
    private(set) var volume: Int?
    /// The files that could not be read, and were not replaced since: what is saved there is unknown here.
    private var unread: Set<File> = []
    /// Why those of the channel are among them.
    private var readFailure: SystemError?
    private var readBackOff = BackOff(first: .seconds(1), limit: .seconds(300))
    private lazy var readTimer = TimerSource { [weak self] in self?.readAgain() }
    /// The files that differ from what is on disk, or may do so.
    private var unwritten: Set<File> = []
    /// Something was saved since the last ``write()``.
    private var hasChanged = false
    private var isWriting = false
    private var isFailing = false
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(300))
    private lazy var deadline = TimerSource { [weak self] in self?.overdue() }
    private lazy var retryTimer = TimerSource { [weak self] in self?.begin() }
    private var settled: (@EventLoop () -> Void)?

    /// Called with ``TalkSession/Event/stateNotSaved(reason:)`` for a write that fails or takes too long, and
    /// with ``TalkSession/Event/stateSaved`` when there is none such any more. With
    /// ``TalkSession/Event/restored(_:descriptor:)`` for a channel that ``load()`` could not read, and with
    /// ``TalkSession/Event/volumeRestored(_:)`` for a volume beside it.
    var report: @EventLoop (TalkSession.Event) -> Void = { _ in }

    /// - Parameters:
    ///   - directory: Created when it is needed; nil: nothing is kept.
    ///   - aside: Where the state is kept until it is in `directory`.
    ///   - log: For files that cannot be read.
    init(_ directory: String?, aside: String?, log: RateLimitedLog) {
        self.directory = directory.map { StateDirectory(path: $0, isOnDisk: true) }
        self.aside = aside.map { StateDirectory(path: $0, isOnDisk: false) }
        self.log = log
    }

    /// Loads what an earlier run has saved. A file that cannot be used counts as missing. What is damaged is
    /// renamed, but where it was read late. A channel that cannot be read is read again later with all files;
    /// what cannot be read beside a channel that can stays for the next start.
    func load() {
        var sought = Set(File.allCases)
        if let aside, let kept = readAside(aside) {
            channel = kept.channel
            descriptor = kept.descriptor.map(restored)
            volume = kept.volume?.volume
            sought = kept.unread ?? []
            // The other files on disk are older. Why they were not written is not known.
            unwritten = Set(File.allCases).subtracting(sought)
            isFailing = true
            begin()
        }
        guard let directory, !sought.isEmpty else { return }
        take(Reading(directory), sought, from: directory)
    }

    /// It survives this process from here; call ``write()`` when all of an event is saved. Nil: none joined.
    func save(_ channel: SavedChannel?) {
        // What could not be read is another channel's.
        if channel?.channelID != self.channel?.channelID {
            if unread.contains(.channel) { readTimer.disarm() }
            unread.subtract([.channel, .descriptor])
        }
        self.channel = channel
        keepAside(.channel)
    }

    /// As ``save(_:)`` of a channel. Nil: there is none.
    func save(_ descriptor: Descriptor?) {
        self.descriptor = descriptor
        unread.remove(.descriptor)
        keepAside(.descriptor)
    }

    /// As ``save(_:)`` of a channel. The volume of a new installation has no file.
    func save(volume: Int) {
        let volume = volume == Status.defaultVolume ? nil : volume
        guard volume != self.volume || unread.contains(.volume) else { return }
        self.volume = volume
        unread.remove(.volume)
        keepAside(.volume)
    }

    /// Writes what was saved since the last call, now or after the write in progress.
    func write() {
        guard hasChanged else { return }
        hasChanged = false
        begin()
    }

    private func begin() {
        guard let directory, !isWriting, !unwritten.isEmpty else { return }
        retryTimer.disarm()
        let files = File.allCases.filter { unwritten.contains($0) }
        unwritten = []
        isWriting = true
        deadline.arm(after: Self.writeTimeout)
        directory.apply(files.map { change($0) }) { [weak self] in self?.ended(files, $0) }
    }

    /// Calls `then` once, when everything is on disk, or no write is in progress that is likely to end.
    func whenSettled(_ then: @escaping @EventLoop () -> Void) {
        settled = then
        notifyIfSettled()
    }

    private func notifyIfSettled() {
        guard !isWriting || isFailing, let settled else { return }
        self.settled = nil
        settled()
    }

    private func ended(_ files: [File], _ failure: SystemError?) {
        isWriting = false
        deadline.disarm()
        if let failure {
            unwritten.formUnion(files)
            retryTimer.arm(after: backOff.next())
            fail("\(failure)")
        } else if unwritten.isEmpty {
            backOff.reset()
            if isOwned || channel == nil { forgetAside() }
            if isFailing { report(.stateSaved) }
            isFailing = false
        } else {
            begin()
        }
        notifyIfSettled()
    }

    private func overdue() {
        fail("\(directory?.path ?? "") does not answer within \(Self.writeTimeout)")
        notifyIfSettled()
    }

    private func fail(_ reason: String) {
        isFailing = true
        report(.stateNotSaved(reason: reason))
    }

    // MARK: The copy in the runtime directory

    private func keepAside(_ file: File) {
        unwritten.insert(file)
        hasChanged = true
        guard let aside, directory != nil else { return }
        let kept = Aside(channel: channel, descriptor: savedDescriptor, volume: savedVolume, unread: unread)
        do throws(SystemError) {
            try aside.apply([(Aside.name, JSONText.encoding(kept).bytes)])
        } catch {
            log.log(level: .error, "the state cannot be kept in the runtime directory: \(error)")
            // The next start would take an older copy for newer than the files that are about to be written.
            forgetAside()
        }
    }

    private func forgetAside() {
        guard let aside else { return }
        do throws(SystemError) {
            try aside.apply([(Aside.name, nil)])
        } catch {
            log.log(level: .error, "a restart may find older state than is on disk: \(error)")
        }
    }

    // MARK: Contents

    private func change(_ file: File) -> StateDirectory.Change {
        let text: JSONText? =
            switch file {
            case .channel: isOwned ? channel.map { .encoding($0) } : nil
            case .descriptor: isOwned ? savedDescriptor.map { .encoding($0) } : nil
            case .volume: savedVolume.map { .encoding($0) }
            }
        return (file.rawValue, text?.bytes)
    }

    private var isOwned: Bool { channel?.owner != nil }

    private var savedDescriptor: SavedDescriptor? {
        descriptor.map { SavedDescriptor(name: $0.name, image: $0.image?.base64) }
    }

    private var savedVolume: SavedVolume? { volume.map { SavedVolume(volume: $0) } }

    private func restored(_ saved: SavedDescriptor) -> Descriptor {
        do throws(Image.Unusable) {
            return Descriptor(name: saved.name, image: try saved.image.map(Image.init(base64:)))
        } catch {
            log.log(level: .error, "the saved picture of the channel is lost: \(error)")
            return Descriptor(name: saved.name, image: nil)
        }
    }

    // MARK: Reading

    private func take(
        _ reading: Reading,
        _ sought: Set<File>,
        from directory: StateDirectory,
        isLate: Bool = false
    ) {
        if sought.contains(.volume) {
            volume = value(reading.volume, of: .volume, in: directory, isLate: isLate)?.volume
        }
        if sought.contains(.channel) {
            if case .failure(let error as SystemError) = reading.channel { return readLater(after: error) }
            channel = value(reading.channel, of: .channel, in: directory, isLate: isLate)
            unread.remove(.descriptor)
        }
        guard sought.contains(.descriptor), channel != nil else { return }
        descriptor = value(reading.descriptor, of: .descriptor, in: directory, isLate: isLate).map(restored)
    }

    private func readLater(after error: SystemError) {
        if error != readFailure {
            log.log(level: .error, "the saved channel cannot be read, and is tried again: \(error)")
        }
        readFailure = error
        unread.formUnion([.channel, .descriptor])
        readTimer.arm(after: readBackOff.next())
    }

    /// Without waiting for the disk: presses are handled meanwhile.
    private func readAgain() {
        guard let directory else { return }
        do throws(SystemError) {
            try EventLoop.spawnBlocking(
                { Reading(directory) },
                completion: { [weak self] reading in
                    // Unless a channel was joined meanwhile.
                    guard let self, unread.contains(.channel) else { return }
                    let sought = unread
                    take(reading, sought, from: directory, isLate: true)
                    if sought.contains(.volume), let volume { report(.volumeRestored(volume)) }
                    if let channel { report(.restored(channel, descriptor: descriptor)) }
                }
            )
        } catch {
            readLater(after: error)
        }
    }

    private func readAside(_ directory: StateDirectory) -> Aside? {
        do {
            return try directory.decode(Aside.self, Aside.name)
        } catch {
            log.log(level: .error, "\(directory.path)/\(Aside.name) cannot be used: \(error)")
            return nil
        }
    }

    private func value<Value>(
        _ read: Result<Value?, any Error>,
        of file: File,
        in directory: StateDirectory,
        isLate: Bool
    ) -> Value? {
        let path = "\(directory.path)/\(file.rawValue)"
        let wasUnread = unread.remove(file) != nil
        do {
            return try read.get()
        } catch let error as SystemError {
            unread.insert(file)
            if !wasUnread { log.log(level: .error, "\(path) cannot be read: \(error)") }
            return nil
        } catch let error where isLate {
            // To rename it would wait for the disk, and presses with it.
            log.log(level: .error, "\(path) cannot be used: \(error)")
            return nil
        } catch {
            log.log(level: .error, "\(path) cannot be used, and is kept as \(path).damaged: \(error)")
            // If even this fails, the next save replaces the file.
            _ = rename(path, path + ".damaged")
            return nil
        }
    }
}

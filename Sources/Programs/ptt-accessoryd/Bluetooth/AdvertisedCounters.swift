import EventLoop
import JSON
import Logging
import PTTMessages
import ServiceClient

/// The last counter of each button that encrypts what it advertises, on disk: a press that somebody has
/// recorded does nothing after a restart either.
///
/// Nothing waits for the disk: a counter is written after its press was handled. What is not written, or
/// cannot be, is known until the end of this process.
@EventLoop
final class AdvertisedCounters {
    private struct Entry: Codable {
        let address: String
        let counter: UInt32
    }

    private struct File: Codable {
        let counters: [Entry]
    }

    private static let name = "counters.json"
    /// Of a thousand buttons.
    private static let sizeLimit = 64 * 1024
    /// Sensors and beacons advertise every few seconds, and each write flushes the disk.
    private static let restTime = Duration.seconds(600)

    private let directory = UserDirectory.state.path.map {
        StateDirectory(path: $0 + "/pushtotalk", isOnDisk: true)
    }
    private let log: Logger
    private var counters: [String: UInt32] = [:]
    private var lastWrite: MonotonicTime?
    private var isWriting = false
    private var hasChanged = false

    /// Reads those that an earlier run has written.
    init(log: Logger) {
        self.log = log
        guard let directory else { return }
        let path = "\(directory.path)/\(Self.name)"
        do {
            guard let text = try TextFile.read(path, limit: Self.sizeLimit) else { return }
            let file: File = try JSON(parsing: text).decode()
            for entry in file.counters { counters[entry.address] = entry.counter }
        } catch {
            log.error("\(path) cannot be used, and a recorded press may count once: \(error)")
        }
    }

    subscript(address: String) -> UInt32? { counters[address] }

    /// A press is written at once. What is no press refuses the presses before it, which this machine perhaps
    /// has not heard, and is written with the next one, or at rest.
    func keep(_ counter: UInt32?, of address: String, isPress: Bool) {
        guard let counter, counters[address] != counter else { return }
        counters[address] = counter
        if let lastWrite, !isPress, MonotonicTime.now - lastWrite < Self.restTime { return }
        write()
    }

    private func write() {
        lastWrite = MonotonicTime.now
        hasChanged = true
        guard let directory, !isWriting else { return }
        (hasChanged, isWriting) = (false, true)
        let entries = counters.sorted { $0.key < $1.key }.map { Entry(address: $0.key, counter: $0.value) }
        let bytes = JSONText.encoding(File(counters: entries)).bytes
        directory.apply([(Self.name, bytes)]) { [weak self] in self?.written($0) }
    }

    /// After a failure only the next counter is written again.
    private func written(_ failure: SystemError?) {
        isWriting = false
        if let failure { log.notice("\(failure): after a restart a recorded press may count once") }
        if hasChanged { write() }
    }
}

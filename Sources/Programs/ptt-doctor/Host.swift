import DBus
import EventLoop
import Glibc

/// The machine, as `pttctl doctor` observes it. Nothing is changed, and every question has a time limit.
struct Host: Sendable {
    /// Below which files of the system are read; empty for the machine itself.
    let root: String

    /// For one answer of a daemon, a bus or a disk. A healthy one answers within milliseconds.
    static let timeLimit = Duration.seconds(1)

    /// - Parameter recording: How long to record; nil for not at all.
    /// - Returns: The findings within the time limits, in the order in which one problem is the cause of
    ///   those below it, with the commands of this distribution.
    @EventLoop
    func findings(recording: Duration?) async -> [Finding] {
        async let observedDaemons = DaemonFacts.observed()
        async let desktop = DesktopFacts.observed(on: self)
        async let observedFiles = FileFacts.observed(on: self)
        async let openedSystem = Host.open(.system)
        let user = await Host.userBus()
        let (system, files) = await (openedSystem, observedFiles)
        let preferences = files?.preferences ?? []
        async let units = ServiceManagerFacts.observed(on: self, user)
        async let soundUnits = SoundUnits.observed(on: self, user)
        async let observedSeat = SeatFacts.observed(on: self, system)
        async let sound = SoundFacts.observed(preferring: preferences)
        async let bluetooth = BluetoothFacts.observed(on: self, system, enrolled: files?.enrolled ?? [])
        let session = SessionFacts.observed()
        let (daemons, seat) = await (observedDaemons, observedSeat)
        var findings = session.findings + KernelFacts.observed(on: self).findings
        findings += await ServiceManagerFacts.findings(units)
        findings += daemons.findings + SeatFacts.findings(seat)
        // `try?`: ``SeatFacts`` reports that logind has not answered.
        findings += UdevFacts.observed(on: self).findings(isAtSeat: try? seat.get().isAtSeat)
        findings += await BluetoothFacts.findings(bluetooth)
        findings += daemons.deviceFindings
        findings += await SoundFacts.findings(sound, soundUnits, daemons.unheardDevices)
        if let recording {
            let heard = await RecordingFacts.observed(for: recording, preferring: preferences)
            findings += heard.findings
        }
        findings += FileFacts.findings(files, userID: session.userID)
        findings += await DesktopFacts.findings(desktop, headsets: daemons.bluetoothHeadsets)
        let distribution = distribution
        return findings.map { $0.resolved(on: distribution) }
    }

    @EventLoop
    private static func open(_ address: BusAddress) async -> Result<BusConnection, BusError> {
        do throws(BusError) {
            return .success(try await .open(address, timeout: timeLimit))
        } catch {
            return .failure(error)
        }
    }

    /// The bus of the user's service manager. It may be another one than the session's.
    @EventLoop
    private static func userBus() async -> Result<BusConnection, BusError> {
        let path = Environment.variable("XDG_RUNTIME_DIR").map { $0 + "/bus" }
        if let path, access(path, F_OK) == 0 { return await open(.address("unix:path=\(path)")) }
        return await open(.session)
    }
}

// The files of the machine, below ``root``.
extension Host {
    /// Nil if it is not known.
    private var distribution: Distribution? {
        let texts = ["/etc/os-release", "/usr/lib/os-release"].lazy.compactMap {
            // `try?`: without either file the distribution is unknown.
            try? TextFile.read(path($0), limit: 1 << 16)
        }
        return texts.first.flatMap(Distribution.init(osRelease:))
    }

    func path(_ path: String) -> String { root + path }

    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Runs system calls that may block, on a disk that does not answer for example.
    ///
    /// - Returns: Nil if they have not returned within ``timeLimit``. The thread then ends with the process.
    @EventLoop
    static func bounded<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let answer = FirstAnswer(continuation, after: timeLimit, nil)
            do throws(SystemError) {
                try EventLoop.spawnBlocking(work) { answer.give($0) }
            } catch {
                // No thread can be started: what is asked for stays unknown.
                answer.give(nil)
            }
        }
    }
}

/// The first of several answers to one question, or what stands for it after a time limit.
@EventLoop
final class FirstAnswer<Value: Sendable> {
    private var continuation: CheckedContinuation<Value, Never>?
    private var timer: TimerSource?

    init(_ continuation: CheckedContinuation<Value, Never>, after limit: Duration, _ substitute: Value) {
        self.continuation = continuation
        // The timer keeps this object alive until it fires or there is an answer.
        let timer = TimerSource { self.give(substitute) }
        timer.arm(after: limit)
        self.timer = timer
    }

    func give(_ value: Value) {
        timer = nil
        let continuation = continuation
        self.continuation = nil
        continuation?.resume(returning: value)
    }
}

extension Silence {
    init(_ error: BusError) {
        self =
            switch error.kind {
            case .noReply: .timedOut
            case .disconnected, .serviceUnknown, .unknownObject, .invalidArguments, .accessDenied, .other:
                .unreachable(error.message.isEmpty ? error.name : error.message)
            }
    }
}

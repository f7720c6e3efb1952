import CLinux
package import EventLoop
import Glibc

/// Switches between lines of a serial port, as keys.
///
/// Opening the port raises the lines that feed them, DTR and RTS, which resets some devices: it is for the
/// person to choose the port. Closing it lowers them. All calls into its driver are made by other threads,
/// because a USB adapter that does not answer blocks them for seconds.
@EventLoop
package final class SerialSwitch: KeySource {
    /// An adapter without an answer after this time has failed: a release may be lost.
    private static let longestReading = Duration.seconds(3)

    private let port: SerialPort
    private let handler: @EventLoop (KeyDeviceEvent) -> Void
    private let lines: [SerialLine]
    private var contacts: [SerialLine: SwitchContact] = [:]
    private var state = State.opening
    private var wakeUps: DescriptorSource?
    /// Since when the lines are being read.
    private var reading: MonotonicInstant?
    /// The lines have changed since.
    private var readsAgain = false
    /// The thread that waits may miss a change that comes just after another one.
    private var rereading: MonotonicInstant?
    private lazy var timer = TimerSource { [weak self] in self?.timerFired() }

    private enum State {
        case opening
        case open(LineWait)
        case closed
    }

    /// Begins to open the port, of a node with ``InputNode/isSerialPort``, to report lines by their
    /// ``SerialLine/key``. Errors are reported later, as ``KeyDeviceEvent/failed(_:)``. The handler is called
    /// in the order of the events, never from within a call to this object.
    ///
    /// - Throws: If no thread can be started.
    package init(
        _ node: InputNode,
        keys: Set<KeyCode>,
        handler: @escaping @EventLoop (KeyDeviceEvent) -> Void
    ) throws(SystemError) {
        port = SerialPort(path: node.devnode, label: "\(node.devnode) (\(node.name))")
        lines = SerialLine.allCases.filter { keys.contains($0.key) }
        self.handler = handler
        let (port, lines) = (port, lines)
        try EventLoop.spawnBlocking {
            Result { () throws(SystemError) in try LineWait(port, lines) }
        } completion: { [weak self] result in
            guard let self, case .opening = state else {
                if case .success(let wait) = result { Self.release(wait) }
                return
            }
            opened(result)
        }
    }

    isolated deinit { close() }

    /// Nothing: nobody else can open the port.
    package func grab() {}

    package func ungrab() {}

    package func close() {
        wakeUps?.cancel()
        wakeUps = nil
        timer.disarm()
        // The reading that is under way releases it.
        if case .open(let wait) = state, reading == nil { Self.release(wait) }
        state = .closed
    }

    private func opened(_ result: Result<LineWait, SystemError>) {
        do throws(SystemError) {
            let wait = try result.get()
            state = .open(wait)
            wakeUps = try DescriptorSource(wait.wakeUp, .readable) { [weak self] _ in self?.wokenUp() }
            let now = MonotonicInstant.now
            for line in lines { contacts[line] = SwitchContact(at: now) }
            read()
        } catch {
            fail(error)
        }
    }

    private func wokenUp() {
        guard case .open(let wait) = state else { return }
        if let code = wait.takeWakeUp() { return fail(port.waitError(code)) }
        rereading = .now + SwitchContact.settling
        read()
    }

    private func timerFired() {
        guard let reading else { return read() }
        guard .now - reading >= Self.longestReading else {
            return timer.arm(at: reading + Self.longestReading)
        }
        fail(port.error("read the lines of", ETIMEDOUT))
    }

    private func read() {
        guard case .open(let wait) = state else { return }
        guard reading == nil else {
            readsAgain = true
            return
        }
        let (port, started) = (port, MonotonicInstant.now)
        reading = started
        timer.arm(at: started + Self.longestReading)
        do throws(SystemError) {
            try EventLoop.spawnBlocking {
                Result { () throws(SystemError) in try port.lines(wait.descriptor) }
            } completion: { [weak self] result in
                guard let self, case .open = state else { return Self.release(wait) }
                reading = nil
                apply(result, startedAt: started)
            }
        } catch {
            reading = nil
            fail(error)
        }
    }

    private func apply(_ result: Result<Int32, SystemError>, startedAt started: MonotonicInstant) {
        let bits: Int32
        do throws(SystemError) { bits = try result.get() } catch { return fail(error) }
        for line in lines {
            guard let edge = contacts[line]?.read(bits & line.bit != 0, at: started) else { continue }
            handler(.key(KeyEvent(key: line.key, edge: edge, time: started)))
            // The handler may have closed the port.
            guard case .open = state else { return }
        }
        if readsAgain {
            readsAgain = false
            return read()
        }
        if let time = rereading, time <= started { rereading = nil }
        let contacts = contacts.values.compactMap { $0.nextReading(after: started) }
        if let next = ([rereading].compactMap { $0 } + contacts).min() {
            timer.arm(at: next)
        } else {
            timer.disarm()
        }
    }

    private func fail(_ error: SystemError) {
        close()
        handler(.failed(error))
    }

    /// Without a thread to do it in, the port stays open until the process ends: the loop must not block.
    private nonisolated static func release(_ wait: LineWait) {
        try? EventLoop.spawnBlocking {
            wait.close()
        } completion: { _ in
        }
    }
}

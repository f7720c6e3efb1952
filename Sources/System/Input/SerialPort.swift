import CLinux
import EventLoop
import Glibc

/// A serial port whose lines are read, and whose data is not.
struct SerialPort: Sendable {
    let path: String
    /// For errors.
    let label: String

    /// The lines that feed a switch.
    private static let outputs = TIOCM_DTR | TIOCM_RTS
    /// Until the session that had the port before has closed it. About three seconds.
    private static let attempts = 5

    func error(_ action: String, _ code: Int32? = nil) -> SystemError {
        SystemError("\(action) \(label)", code)
    }

    /// The error of a thread that has ended with this code.
    func waitError(_ code: Int32) -> SystemError {
        guard [ENOTTY, EINVAL].contains(code) else { return error("wait for the lines of", code) }
        return SystemError("wait for the lines of \(label), because its driver cannot (TIOCMIWAIT)", code)
    }

    /// Opens it for this process alone, and raises the lines that it drives. Blocks for as long as its
    /// driver.
    ///
    /// - Throws: `EACCES` without access, `EBUSY` while another program has it, `ENOTTY` or `EINVAL` if it
    ///   has no lines.
    func open() throws(SystemError) -> OwnedDescriptor {
        let descriptor = OwnedDescriptor(adopting: try opened())
        let value = descriptor.value
        guard ioctl(value, UInt(TIOCEXCL), 0) == 0 else { throw error("take") }
        _ = try lines(value)
        var settings = termios()
        guard tcgetattr(value, &settings) == 0 else { throw error("set up") }
        // Otherwise the kernel echoes what the device sends, hangs up when DCD falls, and uses RTS for
        // itself.
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | HUPCL)
        settings.c_cflag &= ~tcflag_t(CRTSCTS)
        guard tcsetattr(value, TCSANOW, &settings) == 0 else { throw error("set up") }
        var outputs = Self.outputs
        guard ioctl(value, UInt(TIOCMBIS), &outputs) == 0 else { throw error("raise DTR and RTS of") }
        return descriptor
    }

    private func opened() throws(SystemError) -> Int32 {
        var delays = BackOff()
        for attempt in 1... {
            let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
            let descriptor = Glibc.open(path, flags)
            if descriptor >= 0 { return descriptor }
            guard errno == EBUSY, attempt < Self.attempts else { break }
            usleep(UInt32(delays.next().nanoseconds / 1000))
        }
        throw error("open")
    }

    /// - Returns: The lines that are on, as `TIOCM_…` bits.
    func lines(_ descriptor: Int32) throws(SystemError) -> Int32 {
        var bits: Int32 = 0
        guard ioctl(descriptor, UInt(TIOCMGET), &bits) == 0 else { throw error("read the lines of") }
        return bits
    }
}

/// An open port, and the thread that waits for its lines.
final class LineWait: Sendable {
    let descriptor: Int32
    /// Readable after a change, and after the end of the thread.
    let wakeUp: Int32
    // What it points to is written by its thread only, with an atomic operation.
    private nonisolated(unsafe) let wait: OpaquePointer

    /// Opens the port, and begins to wait.
    init(_ port: SerialPort, _ lines: [SerialLine]) throws(SystemError) {
        let opened = try port.open()
        let wakeUp = OwnedDescriptor(adopting: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
        guard wakeUp.value >= 0 else { throw port.error("wait for the lines of") }
        let bits = lines.reduce(0) { $0 | $1.bit }
        guard let wait = clinux_line_wait_start(opened.value, bits, wakeUp.value) else {
            throw port.error("wait for the lines of")
        }
        self.wait = wait
        self.wakeUp = wakeUp.release()
        descriptor = opened.release()
    }

    /// - Returns: The error with which the thread has ended; nil if the lines have changed.
    func takeWakeUp() -> Int32? {
        var count: UInt64 = 0
        // It was readable, and nobody else reads it.
        _ = read(wakeUp, &count, MemoryLayout.size(ofValue: count))
        let error = clinux_line_wait_error(wait)
        return error == 0 ? nil : error
    }

    /// Ends the thread, and closes the port. Blocks for as long as its driver. It is not used afterwards.
    func close() {
        clinux_line_wait_stop(wait)
        _ = OwnedDescriptor(adopting: wakeUp)
        _ = OwnedDescriptor(adopting: descriptor)
    }
}

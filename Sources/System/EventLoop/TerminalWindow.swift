import CLinux
import Glibc

/// The window of a terminal (tty_ioctl(4)).
package enum TerminalWindow {
    /// Returns the number of its columns; nil if the descriptor is no terminal, or the terminal does not say.
    package static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

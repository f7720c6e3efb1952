import CSystemd
import Glibc

/// Watches whether a session of a user is the active one of the first seat, in logind's files (sd-login(3)).
@EventLoop
package final class SeatWatch {
    /// The seat of the screen; uinput makes its devices there (sd-login(3), udev's 71-seat.rules).
    private static let seat = "seat0"

    private let user: UInt32
    private let monitor: OpaquePointer
    private var source: DescriptorSource?

    /// Calls `changed` after any change of a seat.
    ///
    /// - Throws: If the files of logind cannot be watched.
    package init(of user: UInt32, changed: @escaping @EventLoop () -> Void) throws(SystemError) {
        self.user = user
        var made: OpaquePointer?
        let result = sd_login_monitor_new("seat", &made)
        guard result >= 0, let made else { throw SystemError("watch the seats", -result) }
        monitor = made
        source = try DescriptorSource(sd_login_monitor_get_fd(made), .readable) { _ in
            // Fails only if the monitor is gone.
            _ = sd_login_monitor_flush(made)
            changed()
        }
    }

    isolated deinit {
        source?.cancel()
        sd_login_monitor_unref(monitor)
    }

    /// False also if logind knows nothing of the user.
    package var isActive: Bool { sd_uid_is_on_seat(user, 1, Self.seat) > 0 }
}

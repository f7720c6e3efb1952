import CSystemd
import Glibc

/// Notifies systemd of the state of this service (sd_notify(3)). Does nothing where systemd did not start it.
package enum ServiceState {
    /// Start-up is complete. From now on the loop sends systemd's watchdog notifications, so that a stuck
    /// loop is noticed (sd_event_set_watchdog(3)).
    @EventLoop
    package static func ready(status: String) {
        // A failure shows as a missed notification in systemd.
        _ = sd_event_set_watchdog(LoopExecutor.shared.event, 1)
        notify("READY=1\nSTATUS=\(status)")
    }

    /// One line for `systemctl status`.
    package static func status(_ text: String) { notify("STATUS=\(text)") }

    package static func stopping() { notify("STOPPING=1") }

    private static func notify(_ state: String) {
        // A lost notification shows as a timeout in systemd, and there is no other place to report it.
        _ = sd_notify(0, state)
    }
}

/// A listening socket passed by systemd (sd_listen_fds(3)).
package struct ActivatedSocket: Sendable {
    package let descriptor: Int32

    /// All sockets of one socket unit have the same name: only their kinds tell them apart.
    package func isSocket(_ kind: UnixSocket.Kind) -> Bool {
        sd_is_socket(descriptor, AF_UNSPEC, kind.type, -1) > 0
    }

    /// Takes all sockets that were passed to this process, and makes them non-blocking. A second call returns
    /// none.
    package static func takeAll() -> [ActivatedSocket] {
        let count = max(0, sd_listen_fds(1))
        return (SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count).map { descriptor in
            // systemd passes blocking sockets unless the unit has `NonBlocking=yes`, and an accept without a
            // waiting peer would block the loop. A descriptor that is not open fails at its first use.
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            return ActivatedSocket(descriptor: descriptor)
        }
    }
}

import CSystemd
import Glibc

/// What the service tells systemd about itself (sd_notify(3)). Without systemd all of it does nothing.
package enum ServiceState {
    /// Start-up is complete.
    package static func ready(status: String) { notify("READY=1\nSTATUS=\(status)") }

    /// One line for `systemctl status`.
    package static func status(_ text: String) { notify("STATUS=\(text)") }

    package static func stopping() { notify("STOPPING=1") }

    /// Lets the loop itself answer systemd's watchdog, so that a stuck loop is noticed (sd_event_set_watchdog(3)).
    ///
    /// - Returns: Whether a watchdog is configured for this service.
    @EventLoop
    @discardableResult
    package static func answerWatchdog() -> Bool {
        sd_event_set_watchdog(LoopExecutor.shared.event, 1) > 0
    }

    private static func notify(_ state: String) {
        // A lost notification shows in systemd's own time-out; there is nobody else to tell.
        _ = sd_notify(0, state)
    }
}

/// A listening socket that systemd opened and handed over (sd_listen_fds(3)).
package struct ActivatedSocket: Sendable, Equatable {
    /// `FileDescriptorName=` of the socket unit.
    package let name: String
    package let descriptor: Int32

    /// Nil for a socket that is neither of the two. A socket unit with several sockets gives all of them one name.
    package var kind: UnixSocket.Kind? { UnixSocket.kind(of: descriptor) }

    /// All sockets that were passed to this process, made non-blocking. Takes them over: a second call returns
    /// none.
    package static func takeAll() -> [ActivatedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count > 0, let names else { return [] }
        defer {
            for index in 0..<Int(count) { free(names[index]) }
            free(names)
        }
        return (0..<Int(count)).map { index in
            let descriptor = SD_LISTEN_FDS_START + Int32(index)
            // systemd passes blocking sockets unless the unit says `NonBlocking=yes`: accepting one peer more than
            // there are would stop the loop. Of a descriptor that is not open, every use tells.
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            return ActivatedSocket(
                name: names[index].map { String(cString: $0) } ?? "",
                descriptor: descriptor
            )
        }
    }
}

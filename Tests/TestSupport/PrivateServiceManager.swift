import DBus
package import EventLoop
import Glibc

/// A service manager of the test's own: systemd as a user has it, with the session bus that it starts.
///
/// systemd starts only where it is the system's manager, which it finds in `/run`: where that is another one,
/// it sees a `/run` of its own.
@EventLoop
package final class PrivateServiceManager {
    /// The address of the session bus.
    package let bus: String
    private let process: TestProcess

    /// - Parameter directory: Its `XDG_RUNTIME_DIR` and its home.
    /// - Returns: The manager, with its name on the bus.
    /// - Throws: If it does not start.
    package static func start(in directory: String) async throws -> PrivateServiceManager {
        // Of one that was killed.
        _ = unlink(directory + "/bus")
        let manager = try PrivateServiceManager(in: directory)
        try await until { access(directory + "/bus", F_OK) == 0 }
        let connection = try await BusConnection.open(.address(manager.bus))
        let owners = AsyncQueue(of: String?.self)
        let watch = connection.watchName("org.freedesktop.systemd1") { owners.add($0) }
        _ = try await owners.first { $0 != nil }
        watch.cancel()
        connection.close()
        return manager
    }

    /// The address of the session bus of one that has this `XDG_RUNTIME_DIR`.
    package static func bus(in directory: String) -> String { "unix:path=\(directory)/bus" }

    private init(in directory: String) throws {
        bus = Self.bus(in: directory)
        let script =
            "[ -d /run/systemd/system ] || { mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system; }; "
            + "/lib/systemd/systemd --user --unit=sockets.target & wait"
        process = try TestProcess(
            // What it has started ends with it.
            ["unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-c", script],
            environment: [
                "XDG_RUNTIME_DIR": directory, "HOME": directory, "XDG_CONFIG_HOME": directory + "/config",
                "DBUS_SESSION_BUS_ADDRESS": bus, "NOTIFY_SOCKET": nil,
            ],
            mergesErrors: true
        )
    }

    isolated deinit { process.kill() }
}

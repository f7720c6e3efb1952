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

    /// True if one can be started here, which takes the right to make namespaces. Tried once.
    package nonisolated static func isPossible() async -> Bool {
        withRunningLoop()
        return await attempt.value
    }

    package nonisolated static let isImpossible =
        "systemd cannot be started as a user's service manager here"

    private nonisolated static let attempt = Task { @EventLoop in
        do {
            let scratch = try Scratch()
            _ = try await start(in: scratch.directory)
            return true
        } catch {
            print("\(isImpossible): \(error)")
            return false
        }
    }

    /// - Parameter directory: Its `XDG_RUNTIME_DIR` and its home.
    /// - Returns: The manager, with its name on the bus.
    /// - Throws: If it does not start.
    package static func start(in directory: String) async throws -> PrivateServiceManager {
        // Of one that was killed.
        _ = unlink(directory + "/bus")
        let manager = try PrivateServiceManager(in: directory)
        var opened: BusConnection?
        try await until {
            // Nothing listens yet.
            opened = try? await BusConnection.open(.address(manager.bus))
            return opened != nil
        }
        guard let connection = opened else { return manager }
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

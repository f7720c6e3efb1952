package import EventLoop
import Glibc

/// A `dbus-daemon` of the test's own, in a temporary directory. It ends with this object, and with the test
/// process however that ends.
@EventLoop
package final class PrivateBus {
    /// For ``BusAddress/address(_:)`` and `$DBUS_SESSION_BUS_ADDRESS`. The same after every start.
    package nonisolated let address: String
    private let scratch: Scratch
    private var directory: String { scratch.directory }
    private var daemon: TestProcess?

    /// Starts a bus and waits until it listens.
    ///
    /// - Parameter services: The commands that it starts for names without an owner.
    /// - Returns: The bus, of which clients can be made.
    /// - Throws: If it cannot be started.
    package static func start(services: [String: String] = [:]) async throws -> PrivateBus {
        let bus = try PrivateBus(services: services)
        try await bus.start()
        return bus
    }

    /// A bus that is not running yet.
    package init(services: [String: String] = [:]) throws {
        scratch = try Scratch()
        address = "unix:path=\(scratch.directory)/bus"
        try write(Self.configuration(address, directory), to: directory + "/bus.conf")
        for (name, command) in services {
            let text = "[D-BUS Service]\nName=\(name)\nExec=\(command)\n"
            try write(text, to: "\(directory)/\(name).service")
        }
    }

    isolated deinit { stop() }

    /// Starts the daemon, again if need be, and waits until it listens.
    package func start() async throws {
        let daemon = try TestProcess([
            "dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--print-address=1",
        ])
        self.daemon = daemon
        // Its address, when it listens.
        _ = try await daemon.lines.next()
    }

    /// Ends the bus immediately, as a crash would.
    package func stop() {
        guard daemon != nil else { return }
        // Connected peers see its end before this returns.
        daemon?.kill()
        daemon = nil
        _ = unlink(directory + "/bus")
    }

    /// Sends a signal to the daemon; after `SIGSTOP`, for example, it is connected and does nothing.
    package func signal(_ signal: Int32) {
        daemon?.signal(signal)
    }

    /// Stops the daemon, and fills its queue of connections.
    ///
    /// - Returns: Their descriptors.
    package func standStill() throws -> [Int32] {
        signal(SIGSTOP)
        var connections: [Int32] = []
        // A socket that does not block is refused when the queue is full.
        while let connection = try? UnixSocket.connect(to: directory + "/bus", .stream) {
            connections.append(connection.release())
        }
        return connections
    }

    private static func configuration(_ address: String, _ services: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>custom</type>
          <listen>\(address)</listen>
          <servicedir>\(services)</servicedir>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="false"/>
            <allow receive_sender="*"/>
            <allow own="*"/>
            <deny own="org.example.Forbidden"/>
          </policy>
          <limit name="max_match_rules_per_connection">512</limit>
        </busconfig>
        """
    }
}

private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
    let written = fputs(text, file)
    guard fclose(file) == 0, written >= 0 else { throw SystemError("write \(path)") }
}

public import EventLoop
internal import Foundation
internal import Glibc

/// A real `pttd` in a directory of its own, without anything that speaks to it. It is killed when it is dropped.
@EventLoop
public final class CoreProcess {
    /// `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME` and `XDG_STATE_HOME` are in it.
    public let directory: String
    public private(set) var process: ChildProcess
    private let variables: [String: String]

    /// - Parameters:
    ///   - soundServer: The address of the sound server that it finds; none if nil.
    ///   - environment: Further variables.
    /// - Returns: The core, ready.
    /// - Throws: If it does not become ready in time.
    public static func start(
        soundServer: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> CoreProcess {
        let core = try CoreProcess(soundServer, environment)
        _ = try await core.process.lines.first { $0 == "info: ready" }
        return core
    }

    private init(_ soundServer: String?, _ environment: [String: String]) throws {
        directory = "/tmp/ptt-core-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: directory + "/config/pushtotalk",
            withIntermediateDirectories: true
        )
        variables = [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config",
            "XDG_STATE_HOME": directory + "/state",
            "PULSE_SERVER": soundServer ?? "unix:\(directory)/nothing",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory)/no-bus",
        ].merging(environment) { $1 }
        process = try Self.launch(variables)
    }

    isolated deinit {
        process.kill()
        // What cannot be removed is litter in /tmp and hurts no test.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Ends the core as a crash would.
    public func crash() { process.kill() }

    /// Starts it again after a crash; ready when this returns.
    public func restart() async throws {
        process = try Self.launch(variables)
        _ = try await process.lines.first { $0 == "info: ready" }
    }

    /// A file in its state directory.
    public func state(_ name: String) -> String { "\(directory)/state/pushtotalk/\(name)" }

    /// A file in its configuration directory.
    public func configuration(_ name: String) -> String { "\(directory)/config/pushtotalk/\(name)" }

    /// With standard error among its lines.
    private static func launch(_ variables: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            ["/bin/sh", "-c", #"exec "$0" 2>&1"#, ChildProcess.built("pttd")],
            environment: variables
        )
    }
}

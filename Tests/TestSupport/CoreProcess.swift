package import EventLoop
import Foundation
import Glibc

/// A real `pttd` in a directory of its own, without clients. It is killed when it is dropped.
@EventLoop
package final class CoreProcess {
    /// `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME` and `XDG_STATE_HOME` are in it.
    package let directory: String
    private let scratch: Scratch
    package private(set) var process: TestProcess
    private let soundServer: String?
    private let environment: [String: String]

    /// - Parameters:
    ///   - soundServer: The address of its sound server; if nil, no server listens there.
    ///   - configuration: Files of its configuration directory, by name.
    ///   - environment: Further variables.
    ///   - playsTones: If false, it plays none, and a transmission does not wait for one.
    /// - Throws: If it cannot be started.
    package init(
        soundServer: String? = nil,
        configuration: [String: String] = [:],
        environment: [String: String] = [:],
        playsTones: Bool = false
    ) throws {
        scratch = try Scratch()
        directory = scratch.directory
        try FileManager.default.createDirectory(
            atPath: directory + "/config/pushtotalk",
            withIntermediateDirectories: true
        )
        var configuration = configuration
        if !playsTones { configuration["pttd.toml", default: ""] += "\n[tones]\nenabled = false\n" }
        for (name, text) in configuration {
            let path = directory + "/config/pushtotalk/" + name
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        self.soundServer = soundServer
        self.environment = environment
        process = try Self.launch(in: directory, soundServer: soundServer, environment: environment)
    }

    /// Returns when it serves its clients.
    package func isReady() async throws {
        _ = try await process.lines.first { $0 == "info: ready" }
    }

    isolated deinit { process.kill() }

    /// Ends the core as a crash would.
    package func crash() { process.kill() }

    /// Starts it again after a crash.
    package func restart() throws {
        process = try Self.launch(in: directory, soundServer: soundServer, environment: environment)
    }

    /// True if all that was answered is on disk: then nothing is kept in the runtime directory any more.
    package var isSaved: Bool { access(directory + "/pushtotalk/state.json", F_OK) != 0 }

    /// A file in its state directory.
    package func state(_ name: String) -> String { "\(directory)/state/pushtotalk/\(name)" }

    /// A file in its configuration directory.
    package func configuration(_ name: String) -> String { "\(directory)/config/pushtotalk/\(name)" }

    /// Starts a `pttd` with standard error among its lines.
    package static func launch(
        in directory: String,
        soundServer: String? = nil,
        environment: [String: String] = [:]
    ) throws -> TestProcess {
        let variables = [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory + "/config",
            "XDG_STATE_HOME": directory + "/state",
            "PULSE_SERVER": soundServer ?? "unix:\(directory)/nothing",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory)/no-bus",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory)/no-bus",
        ].merging(environment) { $1 }
        return try TestProcess([TestProcess.built("pttd")], environment: variables, mergesErrors: true)
    }
}

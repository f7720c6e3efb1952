import EventLoop
import Foundation
import TestSupport
import Testing

/// The units of the sockets, as the service manager of a user starts them.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
)
struct SocketUnitTests {
    init() { withRunningLoop() }

    private static let units = URL(filePath: #filePath).appending(path: "../../../systemd").standardized

    @Test(arguments: [("pttd", "core"), ("ptt-actions", "actions")]) @EventLoop
    func `a home directory that cannot be written keeps no socket from listening`(
        unit: String,
        socket: String
    ) async throws {
        let home = try Scratch()
        let folder = home.directory + "/config/systemd/user"
        let wanted = folder + "/sockets.target.wants"
        for path in [wanted, home.directory + "/.local"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // Below a file nobody can make a directory, not even root.
        try Data().write(to: URL(filePath: home.directory + "/.local/state"))
        let name = unit + ".socket"
        try FileManager.default.copyItem(
            atPath: Self.units.appending(path: name).path,
            toPath: "\(folder)/\(name)"
        )
        try FileManager.default.createSymbolicLink(
            atPath: "\(wanted)/\(name)",
            withDestinationPath: "../\(name)"
        )
        // A socket has a service, which nobody calls here.
        let service = "[Service]\nExecStart=/bin/false\n"
        try service.write(toFile: "\(folder)/\(unit).service", atomically: true, encoding: .utf8)

        let manager = try await PrivateServiceManager.start(in: home.directory)
        let path = "\(home.directory)/pushtotalk/\(socket)"
        try await until { FileManager.default.fileExists(atPath: path) }
        withExtendedLifetime(manager) {}
    }
}

import ChildProcess
import EventLoop
import Foundation
import TestSupport
import Testing

/// Settings that the generator takes from units where a user gets no namespaces.
struct NamespacesTests {
    init() { withRunningLoop() }

    private static let directory = URL(filePath: #filePath).appending(path: "../../../systemd").standardized

    /// - Parameter settings: The kernel's, by their path below `/proc/sys`.
    /// - Returns: The settings that the generator has written for each unit, by the folder of the drop-in.
    /// - Throws: If it cannot be run.
    @EventLoop private static func generated(_ settings: [String: String]) async throws -> [String: [String]]
    {
        let top = try Scratch()
        for (path, value) in settings {
            let file = URL(filePath: top.directory + "/sys/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("\(value)\n".utf8).write(to: file)
        }
        let normal = top.directory + "/normal"
        let generator = directory.appending(path: "push-to-talk-namespaces").path
        #expect(try ChildProcess.run([generator, normal, "", "", top.directory + "/sys"]) == 0)
        var units: [String: [String]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: normal)) ?? [] {
            let text = try String(
                contentsOfFile: "\(normal)/\(name)/50-restricted-namespaces.conf",
                encoding: .utf8
            )
            units[name] = text.split(separator: "\n").map(String.init).filter { $0.contains("=") }
        }
        return units
    }

    private static let refusals: [([String: String], [String])] = [
        (["user/max_user_namespaces": "0"], ["PrivateUsers=no", "PrivateDevices=no"]),
        (["kernel/unprivileged_userns_clone": "0"], ["PrivateUsers=no", "PrivateDevices=no"]),
        (
            ["user/max_user_namespaces": "7000", "kernel/apparmor_restrict_unprivileged_userns": "1"],
            ["PrivateDevices=no"]
        ),
        (
            ["user/max_user_namespaces": "0", "kernel/apparmor_restrict_unprivileged_userns": "1"],
            ["PrivateUsers=no", "PrivateDevices=no"]
        ),
    ]

    @Test(arguments: refusals) @EventLoop
    func `where namespaces are refused the units lose what would keep them from starting`(
        settings: [String: String],
        lines: [String]
    ) async throws {
        let units = try await Self.generated(settings)
        #expect(
            units.keys.sorted() == [
                "app-org.pushtotalk.Indicator.service.d", "ptt-accessoryd.service.d", "ptt-actions.service.d",
                "pttd.service.d",
            ]
        )
        for (unit, written) in units { #expect(written == lines, "\(unit)") }
    }

    @Test(arguments: [
        [:], ["user/max_user_namespaces": "7000", "kernel/unprivileged_userns_clone": "1"],
        ["kernel/apparmor_restrict_unprivileged_userns": "0"],
    ])
    @EventLoop func `where namespaces are free the units lose nothing`(settings: [String: String])
        async throws
    {
        #expect(try await Self.generated(settings) == [:])
    }

    /// systemd leaves most protections out where it has no namespace. With these it does not start a service
    /// (measured with systemd 252, 255 and 257).
    @Test func `the units have no option that needs a namespace but those that are taken away`() throws {
        let closed = [
            "PrivateUsers", "PrivateDevices", "ProtectKernelModules", "ProtectKernelLogs", "ProtectClock",
            "TemporaryFileSystem", "BindPaths", "BindReadOnlyPaths", "RootDirectory", "RootImage",
            "DynamicUser",
            "MountAPIVFS", "PrivatePIDs",
        ]
        var found: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
        where name.hasSuffix(".service") && !name.hasPrefix("ptt-keys") {
            let text = try String(contentsOf: Self.directory.appending(path: name), encoding: .utf8)
            let options = text.split(separator: "\n").compactMap { line in
                closed.first { line.hasPrefix($0 + "=") }
            }
            found.formUnion(options)
            #expect(options.isEmpty || name != "ptt-echo.service", "the generator does not know \(name)")
        }
        #expect(found == ["PrivateUsers", "PrivateDevices"])
    }
}

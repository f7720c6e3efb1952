package import EventLoop
import Foundation
import Glibc

/// A package of PyPI, in the build directory.
@EventLoop
package struct PythonPackage: Sendable {
    package nonisolated let name: String
    package nonisolated let version: String
    /// The interpreter that is to use it.
    package nonisolated let interpreter: String

    package nonisolated static let varlink = PythonPackage(
        name: "varlink",
        version: "31.0.0",
        interpreter: "python3"
    )
    /// Needs Debian's python3-dbus and python3-gi.
    package nonisolated static let dbusmock = PythonPackage(
        name: "python-dbusmock",
        version: "0.38.1",
        interpreter: "/usr/bin/python3"
    )

    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Installs the package if it is not there yet.
    ///
    /// - Returns: The directory for `PYTHONPATH`.
    package func installed() async throws -> String {
        let directory = "\(checkout)/.build/\(name)-\(version)"
        // Moved there at the end, so that an installation that was interrupted is repeated.
        guard !FileManager.default.fileExists(atPath: directory) else { return directory }
        // Other tests may install it at the same time.
        let unfinished = "\(directory).\(getpid())"
        let install = [interpreter, "-m", "pip", "install", "--quiet", "--no-deps", "--target", unfinished]
        let pip = try TestProcess(install + ["\(name)==\(version)"], mergesErrors: true)
        let (status, lines) = try await pip.output(within: .seconds(120))
        guard status == 0 else {
            let output = lines.joined(separator: "\n")
            throw Missing(
                description: "\(name) \(version) could not be installed (needs python3-pip):\n\(output)"
            )
        }
        guard rename(unfinished, directory) == 0 || FileManager.default.fileExists(atPath: directory) else {
            throw SystemError("install \(directory)")
        }
        return directory
    }
}

import EventLoop
import Foundation

/// The PyPI package `varlink` in the build directory.
package struct PythonVarlink: Sendable {
    package let directory: String

    /// Installs the package if it is not there yet.
    @EventLoop
    package static func installed() async throws -> PythonVarlink {
        PythonVarlink(directory: try await PythonPackage.varlink.installed())
    }

    private var tests: String { directory + "/varlink/tests" }

    package var certificationDescription: String {
        get throws {
            try String(contentsOfFile: tests + "/org.varlink.certification.varlink", encoding: .utf8)
        }
    }

    /// Starts the certification program of the package.
    @EventLoop
    package func run(_ arguments: [String]) throws -> TestProcess {
        try python(["-m", "varlink.tests.test_certification"] + arguments)
    }

    /// Starts Python, which finds the package.
    @EventLoop
    package func python(_ arguments: [String], environment: [String: String] = [:]) throws -> TestProcess {
        try TestProcess(
            ["python3"] + arguments,
            environment: environment.merging(["PYTHONPATH": directory, "PYTHONUNBUFFERED": "1"]) { $1 },
            mergesErrors: true
        )
    }
}

/// systemd's Varlink client, in the build directory if it is not installed.
package struct Varlinkctl: Sendable {
    private let path: String

    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Fetches it if it is not there yet.
    @EventLoop
    package static func fetched() async throws -> Varlinkctl {
        let directory = "\(checkout)/.build/varlinkctl"
        let fetch = try TestProcess(["\(checkout)/.ci/fetch-varlinkctl", directory], mergesErrors: true)
        let (status, lines) = try await fetch.output(within: .seconds(180))
        guard status == 0 else {
            throw Missing(
                description:
                    "varlinkctl could not be fetched from Debian 13: \(lines.joined(separator: "; "))"
            )
        }
        return Varlinkctl(path: directory + "/varlinkctl")
    }

    @EventLoop
    package func run(_ arguments: String...) throws -> TestProcess {
        try TestProcess([path] + arguments, mergesErrors: true)
    }
}

/// Where this package lies.
package let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

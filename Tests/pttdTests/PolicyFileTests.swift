import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// The policy file, and the immediate effects of a change.
@Suite(.serialized) struct PolicyFileTests {
    init() { withRunningLoop() }

    private static let denial = #"deny = ["org.example.App"]"#

    @EventLoop
    private func joined() async throws -> (core: CoreFixture, application: AttachedApplication) {
        let core = try await CoreFixture.start(environment: ["PTT_LOG": "debug"])
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        _ = try await application.next(1)
        return (core, application)
    }

    /// Waits until the core applies an empty policy, which shows only in its trace.
    @EventLoop
    private func nothingIsForbidden(by core: CoreFixture) async throws {
        _ = try await core.process.lines.first {
            $0.hasSuffix(" policyChanged denied () excluded () isClosed false")
        }
    }

    private func expectLeft(_ application: AttachedApplication, within limit: Duration = .seconds(1))
        async throws
    {
        let left = try await application.events.first(within: limit) {
            if case .channelLeft = $0 { true } else { false }
        }
        guard case .channelLeft(.systemPolicy, let explanation?) = left else {
            return #expect(Bool(false), "\(left)")
        }
        #expect(!explanation.isEmpty)
    }

    @Test(arguments: [true, false])
    @EventLoop func `an application that is denied leaves within a second, and may join again when allowed`(
        isReplacedByRename: Bool
    ) async throws {
        let (core, application) = try await joined()
        try Self.denial.write(
            toFile: core.configuration("policy.toml"),
            atomically: isReplacedByRename,
            encoding: .utf8
        )
        try await expectLeft(application)
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .deviceManagementRestriction)
        try FileManager.default.removeItem(atPath: core.configuration("policy.toml"))
        try await nothingIsForbidden(by: core)
        _ = try await application.join(.hikers)
    }

    @Test @EventLoop func `a file that cannot be used fills no journal, however often it changes`()
        async throws
    {
        let (core, _) = try await joined()
        let path = core.configuration("policy.toml")
        var complaints = 0
        for number in 0..<40 {
            try "deny = \(number)".write(toFile: path, atomically: false, encoding: .utf8)
            guard number < 15 else {
                // Nothing may follow, so that there is nothing to wait for.
                await pause(.milliseconds(20))
                continue
            }
            _ = try await core.process.lines.first { $0.contains("cannot be used") }
            complaints += 1
        }
        try Self.denial.write(toFile: path, atomically: true, encoding: .utf8)
        _ = try await core.process.lines.first {
            if $0.contains("cannot be used") { complaints += 1 }
            return $0.contains(" policyChanged denied (\"org.example.App\")")
        }
        #expect(complaints <= 20)
    }

    @Test @EventLoop func `a closed time leaves the channel, and refuses a join with its own code`()
        async throws
    {
        let (core, application) = try await joined()
        try "[[closed]]\nfrom = \"00:00\"\nto = \"24:00\"".write(
            toFile: core.configuration("policy.toml"),
            atomically: true,
            encoding: .utf8
        )
        try await expectLeft(application)
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .screenTimeRestriction)
    }

    @Test @EventLoop func `a policy that becomes unusable is logged, and the previous one stays in force`()
        async throws
    {
        let (core, application) = try await joined()
        let path = core.configuration("policy.toml")
        try Self.denial.write(toFile: path, atomically: true, encoding: .utf8)
        try await expectLeft(application)
        try "deny = 5".write(toFile: path, atomically: true, encoding: .utf8)
        let complaint = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(complaint.contains("policy.toml") && complaint.contains("stays in force"))
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .deviceManagementRestriction)
    }

    @Test(arguments: [
        "deny = [", "den = []", "closed = 5", "[[closed]]\nfrom = \"x\"\nto = \"06:00\"", "\u{1}",
    ])
    @EventLoop
    func `a policy that was never usable refuses all joins with the reason, and applies once it is repaired`(
        text: String
    ) async throws {
        let core = try CoreFixture(environment: ["PTT_LOG": "debug"], policy: text)
        let complaint = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(complaint.contains("policy.toml") && complaint.contains("no channel can be joined"))
        _ = try await core.process.lines.first { $0 == "info: ready" }
        let application = try await AttachedApplication.attach(to: core)
        try await isRefusedForThePolicy(application, core)
        try FileManager.default.removeItem(atPath: core.configuration("policy.toml"))
        try await nothingIsForbidden(by: core)
        _ = try await application.join(.hikers)
    }

    @Test @EventLoop func `the first policy, if it is unusable, forbids all, and the channel is left`()
        async throws
    {
        let (core, application) = try await joined()
        try "deny = 5".write(toFile: core.configuration("policy.toml"), atomically: true, encoding: .utf8)
        let left = try await application.events.first {
            if case .channelLeft = $0 { true } else { false }
        }
        guard case .channelLeft(.systemPolicy, let explanation?) = left else {
            Issue.record("it was left otherwise: \(left)")
            return
        }
        #expect(explanation.contains("policy.toml"))
        try await isRefusedForThePolicy(application, core)
    }

    @Test @EventLoop func `a pipe or a directory in place of the policy does not allow anything`()
        async throws
    {
        for makes in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [(String) -> Int32] {
            let core = try await CoreFixture.start(environment: ["PTT_LOG": "debug"])
            #expect(makes(core.configuration("policy.toml")) == 0)
            let application = try await AttachedApplication.attach(to: core)
            _ = try await core.process.lines.first {
                $0.contains(" policyChanged ") && $0.contains(" unusable ")
            }
            try await isRefusedForThePolicy(application, core)
        }
    }

    @Test @EventLoop
    func `a symbolic link to a policy is resolved again after a change, a replacement and a new target`()
        async throws
    {
        let (core, application) = try await joined()
        let elsewhere = core.configuration("elsewhere")
        for directory in ["\(elsewhere)", "\(elsewhere)/1", "\(elsewhere)/2"] {
            #expect(mkdir(directory, 0o700) == 0)
        }
        // As configuration is often deployed: a link to a link to a directory, of which the inner one is
        // replaced.
        let (link, inner) = (core.configuration("policy.toml"), "\(elsewhere)/now")
        #expect(symlink("1", inner) == 0 && symlink("elsewhere/now/policy.toml", link) == 0)
        _ = try await core.process.lines.first { $0.contains(" policyChanged ") && $0.contains(" unusable ") }
        try await expectLeft(application)
        func write(_ text: String, _ directory: Int, atomically: Bool) throws {
            let path = "\(elsewhere)/\(directory)/policy.toml"
            try text.write(toFile: path, atomically: atomically, encoding: .utf8)
        }
        try write("", 1, atomically: false)
        for atomically in [false, true] {
            try await nothingIsForbidden(by: core)
            _ = try await application.join(.hikers)
            try write(Self.denial, 1, atomically: atomically)
            try await expectLeft(application)
            try write("", 1, atomically: atomically)
        }
        try await nothingIsForbidden(by: core)
        _ = try await application.join(.hikers)
        try write(Self.denial, 2, atomically: true)
        #expect(symlink("2", "\(inner).new") == 0 && rename("\(inner).new", inner) == 0)
        try await expectLeft(application)
        #expect(unlink(link) == 0)
        try await nothingIsForbidden(by: core)
        _ = try await application.join(.hikers)
    }

    @Test @EventLoop func `a broken symbolic link does not allow anything`() async throws {
        let core = try await CoreFixture.start(environment: ["PTT_LOG": "debug"])
        #expect(symlink("/nonexistent/policy.toml", core.configuration("policy.toml")) == 0)
        let complaint = try await core.process.lines.first { $0.hasPrefix("error: ") }
        #expect(complaint.contains("is a link to a file that does not exist"))
        try await isRefusedForThePolicy(try await AttachedApplication.attach(to: core), core)
    }

    @EventLoop
    private func isRefusedForThePolicy(_ application: AttachedApplication, _ core: CoreFixture) async throws {
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .deviceManagementRestriction)
        #expect(refused.reason.contains(core.configuration("policy.toml")))
    }

    @Test @EventLoop func `an application that is excluded cannot attach`() async throws {
        let core = try CoreFixture(policy: #"exclude = ["org.example.App"]"#)
        _ = try await core.process.lines.first { $0 == "info: ready" }
        let refused = try await refusal { _ = try await AttachedApplication.attach(to: core) }
        #expect(refused.code == .deviceManagementRestriction)
        _ = try await AttachedApplication.attach(to: core, "org.example.Other")
    }

    @Test @EventLoop
    func `a policy is found in a directory that is created later, removed and created again`()
        async throws
    {
        let (core, application) = try await joined()
        let directory = core.configuration("")
        for _ in 0..<2 {
            try FileManager.default.removeItem(atPath: directory)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Self.denial.write(
                toFile: core.configuration("policy.toml"),
                atomically: true,
                encoding: .utf8
            )
            try await expectLeft(application)
            try FileManager.default.removeItem(atPath: core.configuration("policy.toml"))
            try await nothingIsForbidden(by: core)
            _ = try await application.join(.hikers)
        }
    }
}

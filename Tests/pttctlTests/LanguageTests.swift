import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing

@testable import ptt_doctor

/// The output of the built programs for somebody who does not read English.
@Suite struct LanguageTests {
    init() { withRunningLoop() }

    @EventLoop private static func lines(
        _ arguments: [String],
        _ environment: [String: String?]
    ) async throws -> [String] {
        let process = try TestProcess(
            [TestProcess.built("pttctl")] + arguments,
            environment: environment,
            mergesErrors: true
        )
        return try await process.output(within: .seconds(20)).lines
    }

    @Test @EventLoop func `doctor explains in German, and its JSON stays in English for scripts`()
        async throws
    {
        let fixture = try DoctorFixture()
        let german = try await Catalogue("de")
        defer { withExtendedLifetime(german) {} }
        fixture.environment.merge(german.environment) { $1 }
        let arguments = ["doctor", "--root", fixture.root]
        let lines = try await Self.lines(arguments, fixture.environment)
        #expect(lines.contains("failure  core: pttd hat keinen Socket: pttd.socket läuft nicht"), "\(lines)")
        #expect(lines.contains("         $ systemctl --user enable --now pttd.socket"))
        let report = try await fixture.run()
        #expect(report["core"].map(\.text) == ["pttd has no socket: pttd.socket does not run"])
    }

    @Test @EventLoop func `status and a refusal are in German, and JSON is the same in each language`()
        async throws
    {
        let core = try CoreProcess()
        try await core.isReady()
        let here: [String: String?] = ["XDG_RUNTIME_DIR": core.directory]
        let catalogue = try await Catalogue("de")
        defer { withExtendedLifetime(catalogue) {} }
        let german = here.merging(catalogue.environment) { $1 }
        let lines = try await Self.lines(["status"], german)
        #expect(lines.contains { $0.hasPrefix("Kanal ") && $0.contains("pttctl join") }, "\(lines)")
        #expect(lines.contains("Übertragung   keiner"), "\(lines)")
        let (first, second) = (
            try await Self.lines(["status", "--json"], german),
            try await Self.lines(["status", "--json"], here)
        )
        #expect(first == second)
        _ = try await Self.lines(["join", "--name", "Ops"], german)
        let refused = try await Self.lines(["join", "--name", "Shop"], german)
        #expect(refused.contains { $0.hasPrefix("pttctl: dem Kanal Ops (") }, "\(refused)")
        #expect(try JSON(parsing: try #require(first.first)).decode(Status.self).channel == nil)
    }
}

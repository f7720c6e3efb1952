import PTTMessages
import Testing

@testable import ptt_doctor

func problems(_ findings: [Finding]) -> [Finding] { findings.filter { $0.severity != .ok } }

/// Requires exactly one problem with this cure on Debian.
func expect(
    _ findings: [Finding],
    isFailure: Bool = true,
    curedBy cure: Cure,
    _ part: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let problems = problems(findings)
    #expect(problems.count == 1, "\(problems.map(\.text))", sourceLocation: sourceLocation)
    #expect(problems.first?.cure?.resolved(on: .debian) == cure, sourceLocation: sourceLocation)
    #expect(problems.first?.isFailure == isFailure, sourceLocation: sourceLocation)
    #expect(
        problems.first?.text.english.contains(part) == true,
        "\(problems.first?.text.english ?? "")",
        sourceLocation: sourceLocation
    )
}

@Suite struct SessionFindingTests {
    private let directory = SessionFacts.RuntimeDirectory(path: "/run/user/1000", owner: 1000, mode: 0o700)

    @Test func `a session of one's own is well`() {
        let facts = SessionFacts(userID: 1000, runtimeDirectory: directory)
        #expect(facts.findings == Check.session.ok(Text("/run/user/1000 belongs to this user alone")))
    }

    @Test func `with sudo the command is to be run without it`() {
        let facts = SessionFacts(userID: 0, sudoUser: "ann", runtimeDirectory: directory)
        expect(facts.findings, curedBy: .command("pttctl doctor"), "ann")
    }

    @Test func `a runtime directory that is not set, not there, or another's is a failure`() {
        let export = Cure.command("export XDG_RUNTIME_DIR=/run/user/1000")
        expect(SessionFacts(userID: 1000, runtimeDirectory: nil).findings, curedBy: export, "not set")
        var other = directory
        other.owner = 1001
        expect(SessionFacts(userID: 1000, runtimeDirectory: other).findings, curedBy: export, "1001")
        other.owner = nil
        let login = Cure.advice(Text("log in as this user, at the screen or with ssh, not with su"))
        expect(SessionFacts(userID: 1000, runtimeDirectory: other).findings, curedBy: login, "does not exist")
    }

    @Test func `a runtime directory that others may access is a failure`() {
        var open = directory
        open.mode = 0o750
        expect(
            SessionFacts(userID: 1000, runtimeDirectory: open).findings,
            curedBy: .command("chmod 700 /run/user/1000"),
            "other users"
        )
    }

    @Test func `root has a session, but not that of the person`() {
        let facts = SessionFacts(
            userID: 0,
            runtimeDirectory: .init(path: "/run/user/0", owner: 0, mode: 0o700)
        )
        expect(
            facts.findings,
            isFailure: false,
            curedBy: .advice(Text("run it as the user who talks")),
            "root"
        )
    }
}

@Suite struct UnitFindingTests {
    private var facts = ServiceManagerFacts(
        sockets: [UnitFacts(name: "pttd.socket"), UnitFacts(name: "ptt-accessoryd.socket")],
        services: [
            UnitFacts(name: "pttd.service", file: "static"),
            UnitFacts(name: "ptt-accessoryd.service", file: "static", active: "inactive"),
        ]
    )
    private var findings: [Finding] { ServiceManagerFacts.findings(.success(facts)) }

    @Test func `enabled sockets are one line`() {
        #expect(findings.map(\.check) == [.units])
        #expect(problems(findings).isEmpty)
    }

    @Test mutating func `a socket is enabled, started, or both`() {
        facts.sockets[0].file = "disabled"
        expect(
            findings,
            isFailure: false,
            curedBy: .command("systemctl --user enable pttd.socket"),
            "next login"
        )
        facts.sockets[0].active = "inactive"
        expect(findings, curedBy: .command("systemctl --user enable --now pttd.socket"), "not enabled")
        facts.sockets[0].file = "enabled"
        expect(findings, curedBy: .command("systemctl --user start pttd.socket"), "does not run")
        facts.sockets[0].active = "failed"
        facts.sockets[0].result = "trigger-limit-hit"
        expect(findings, curedBy: .command("systemctl --user restart pttd.socket"), "trigger-limit-hit")
    }

    @Test mutating func `a masked unit is unmasked`() {
        facts.sockets[1].load = "masked"
        let cure = Cure.command("systemctl --user unmask ptt-accessoryd.socket")
        expect(findings, curedBy: cure, "masked")
    }

    @Test mutating func `all missing units are one line`() {
        for index in 0...1 {
            facts.sockets[index].load = "not-found"
            facts.services[index].load = "not-found"
        }
        expect(
            findings,
            curedBy: .command("sudo apt install --reinstall push-to-talk"),
            "pttd.socket, ptt-accessoryd.socket, pttd.service, ptt-accessoryd.service"
        )
    }

    @Test(arguments: [("start-limit-hit", "too often"), ("watchdog", "hung"), ("exit-code", "(exit-code)")])
    mutating func `a failed service says how to find the reason`(result: String, text: String) {
        facts.services[0].active = "failed"
        facts.services[0].result = result
        expect(findings, curedBy: .command("systemctl --user reset-failed pttd.service"), text)
        #expect(
            problems(findings).first?.text.english.contains("journalctl --user -n 50 -u pttd.service") == true
        )
    }

    @Test mutating func `a service without its program is installed again`() {
        facts.services[1].missingProgram = "/usr/local/bin/ptt-accessoryd"
        expect(
            findings,
            curedBy: .command("sudo apt install --reinstall push-to-talk"),
            "/usr/local/bin/ptt-accessoryd"
        )
    }

    @Test mutating func `changed files and a second installation are warnings`() {
        facts.services[0].needsReload = true
        expect(
            findings,
            isFailure: false,
            curedBy: .command("systemctl --user daemon-reload"),
            "pttd.service"
        )
        facts.services[0].needsReload = false
        facts.installations = ["/usr", "/usr/local"]
        #expect(problems(findings).first?.text == Text("pttd is installed twice, below /usr and /usr/local"))
    }

    @Test func `a service manager that hangs or is not there is a failure`() {
        let hangs = ServiceManagerFacts.findings(.failure(.timedOut))
        expect(hangs, curedBy: .advice(Text("log out and in again")), "does not answer")
        let missing = ServiceManagerFacts.findings(.failure(.unreachable("no bus")))
        #expect(missing.first?.isFailure == true && missing.first?.text.english.hasSuffix("no bus") == true)
    }
}

@Suite struct DaemonFindingTests {
    private var facts = DaemonFacts(
        core: .answered(version: Product.version),
        status: Status(timeLimit: 60),
        accessory: .answered(version: Product.version),
        devices: .init(devices: [], isCoreConnected: true)
    )

    @Test func `two daemons that answer are two lines`() {
        #expect(facts.findings.map(\.check) == [.core, .accessoryDaemon])
        #expect(problems(facts.findings).isEmpty)
    }

    @Test(
        arguments: [
            (SocketAnswer.missing, "enable --now pttd.socket"), (.refused, "restart pttd.socket"),
            (.silent, "restart pttd.service"), (.failed(reason: "x"), "restart pttd.service"),
        ]
    ) mutating func `each way not to answer has its cure`(answer: SocketAnswer, command: String) {
        facts.core = answer
        expect(facts.findings, curedBy: .command("systemctl --user \(command)"), "")
    }

    @Test mutating func `another version that runs is a warning`() {
        facts.accessory = .answered(version: "0.0.1")
        expect(
            facts.findings,
            isFailure: false,
            curedBy: .command("systemctl --user restart ptt-accessoryd.service"),
            "0.0.1"
        )
    }

    @Test mutating func `a channel that is not saved, and a core that no press reaches`() {
        facts.status?.saveFailure = "No space left on device"
        #expect(problems(facts.findings).map(\.isFailure) == [false])
        facts.status?.saveFailure = nil
        facts.devices = .init(devices: [], isCoreConnected: false)
        expect(
            facts.findings,
            curedBy: .command("systemctl --user restart ptt-accessoryd.service"),
            "no press transmits"
        )
    }
}

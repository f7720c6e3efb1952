import PTTMessages

/// A unit as systemd describes it (org.freedesktop.systemd1(5)).
struct UnitFacts: Equatable, Sendable {
    var name: String
    /// `LoadState`: `loaded`, `not-found`, `masked`, `bad-setting`, `error`.
    var load = "loaded"
    /// `UnitFileState`: `enabled`, `disabled`, `static`, `linked`, …; empty if there is no file.
    var file = "enabled"
    /// `ActiveState`: `active`, `inactive`, `failed`, …
    var active = "active"
    /// `Result` of a service or a socket: `success`, `exit-code`, `start-limit-hit`, `watchdog`, …
    var result = "success"
    var needsReload = false
    /// The program of a service that does not exist; nil if it does, or the unit has none.
    var missingProgram: String?

    var isEnabled: Bool {
        file.hasPrefix("enabled") || file == "static" || file == "alias" || file == "generated"
    }
    var isActive: Bool { ["active", "activating", "reloading"].contains(active) }
}

/// The user's service manager, and our units in it.
struct ServiceManagerFacts: Equatable, Sendable {
    static let sockets = ["pttd.socket", "ptt-accessoryd.socket"]
    static let services = ["pttd.service", "ptt-accessoryd.service"]

    var sockets: [UnitFacts]
    var services: [UnitFacts]
    /// The directories below which a `pttd` is installed, if several are.
    var installations: [String] = []

    static func findings(_ facts: Result<ServiceManagerFacts, Silence>) -> [Finding] {
        switch facts {
        case .success(let facts): return facts.findings
        case .failure(.timedOut):
            return Check.units.failure(
                Text("the user's service manager does not answer"),
                cure: .advice(Text("log out and in again"))
            )
        case .failure(.unreachable(let reason)):
            return Check.units.failure(
                Text("the user's service manager cannot be reached: \(reason)"),
                cure: .advice(Text("log in as this user, at the screen or with ssh, not with su or sudo"))
            )
        }
    }

    private var findings: [Finding] {
        let units = sockets.flatMap(Self.problem(ofSocket:)) + services.flatMap(Self.problem(ofService:))
        let problems = missing + units + reload + secondInstallation
        if !problems.isEmpty { return problems }
        return Check.units.ok(
            Text("\(Self.list(sockets.map(\.name))) are enabled, no unit has failed")
        )
    }

    /// Two names as a sentence has them.
    private static func list(_ names: [String]) -> Text {
        names.dropFirst().reduce(Text(verbatim: names.first ?? "")) { list, name in
            Text("\(list) and \(name)")
        }
    }

    private static func problem(ofSocket unit: UnitFacts) -> [Finding] {
        let problem = problem(ofFile: unit)
        if !problem.isEmpty || unit.load == "not-found" { return problem }
        if unit.active == "failed" {
            return Check.units.failure(
                Text("\(unit.name) has failed (\(unit.result))"),
                cure: .command("systemctl --user restart \(unit.name)")
            )
        }
        switch (unit.isEnabled, unit.isActive) {
        case (true, true): return []
        case (false, false):
            return Check.units.failure(
                Text("\(unit.name) is not enabled"),
                cure: .command("systemctl --user enable --now \(unit.name)")
            )
        case (false, true):
            return Check.units.warning(
                Text("\(unit.name) is not enabled, and will not be there after the next login"),
                cure: .command("systemctl --user enable \(unit.name)")
            )
        case (true, false):
            return Check.units.failure(
                Text("\(unit.name) is enabled and does not run"),
                cure: .command("systemctl --user start \(unit.name)")
            )
        }
    }

    private static func problem(ofService unit: UnitFacts) -> [Finding] {
        let problem = problem(ofFile: unit)
        if !problem.isEmpty { return problem }
        if let program = unit.missingProgram {
            return Check.units.failure(
                Text("\(unit.name) starts \(program), which does not exist"),
                cure: .reinstall
            )
        }
        guard unit.active == "failed" else { return [] }
        let text =
            switch unit.result {
            case "start-limit-hit": Text("\(unit.name) failed too often to be started again")
            case "watchdog": Text("\(unit.name) hung, and systemd has killed it")
            default: Text("\(unit.name) has failed (\(unit.result))")
            }
        return Check.units.failure(
            Text("\(text); `journalctl --user -n 50 -u \(unit.name)` has the reason"),
            cure: .command("systemctl --user reset-failed \(unit.name)")
        )
    }

    private static func problem(ofFile unit: UnitFacts) -> [Finding] {
        switch unit.load {
        // ``missing`` reports all of those.
        case "loaded", "not-found": []
        case "masked":
            Check.units.failure(
                Text("\(unit.name) is masked"),
                cure: .command("systemctl --user unmask \(unit.name)")
            )
        default:
            Check.units.failure(
                Text("\(unit.name) cannot be loaded (\(unit.load))"),
                cure: .command("systemd-analyze --user verify \(unit.name)")
            )
        }
    }

    private var missing: [Finding] {
        let names = (sockets + services).filter { $0.load == "not-found" }.map(\.name)
        guard !names.isEmpty else { return [] }
        return Check.units.failure(
            Text("not installed where systemd looks for them: \(names.joined(separator: ", "))"),
            cure: .reinstall
        )
    }

    private var reload: [Finding] {
        let names = (sockets + services).filter(\.needsReload).map(\.name)
        guard !names.isEmpty else { return [] }
        return Check.units.warning(
            Text("\(names.joined(separator: ", ")): systemd uses an earlier version of the file"),
            cure: .command("systemctl --user daemon-reload")
        )
    }

    private var secondInstallation: [Finding] {
        guard installations.count > 1 else { return [] }
        return Check.units.warning(
            Text("pttd is installed twice, below \(Self.list(installations))"),
            cure: .removeOne
        )
    }
}

import Diagnosis
import Testing

@testable import pttctl

@Suite struct DoctorReportTests {
    @Test func `a finding is a line, and its cure the next`() {
        #expect(Wording.lines(.ok(.core, "pttd 1.2 answers")) == ["ok       core: pttd 1.2 answers"])
        #expect(
            Wording.lines(.failure(.units, "pttd.socket is masked", cure: .command("systemctl unmask x")))
                == [
                    "failure  units: pttd.socket is masked", "         $ systemctl unmask x",
                ]
        )
        #expect(
            Wording.lines(.warning(.seat, "no session", cure: .advice("log in"))) == [
                "warning  seat: no session", "         → log in",
            ]
        )
    }

    @Test func `a record has a command or an advice`() {
        let cured = FindingRecord(.failure(.core, "x", cure: .command("y")))
        #expect((cured.severity, cured.command, cured.advice) == ("failure", "y", nil))
        let advised = FindingRecord(.warning(.core, "x", cure: .advice("y")))
        #expect((advised.severity, advised.command, advised.advice) == ("warning", nil, "y"))
        #expect(FindingRecord(.ok(.core, "x")).severity == "ok")
    }
}

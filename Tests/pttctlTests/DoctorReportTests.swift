import PTTMessages
import Testing

@testable import ptt_doctor

@Suite struct DoctorReportTests {
    @Test func `a finding is a line, and its cure the next`() {
        #expect(Check.core.ok(Text("pttd 1.2 answers")).lines == ["ok       core: pttd 1.2 answers"])
        #expect(
            Check.units.failure(Text("pttd.socket is masked"), cure: .command("systemctl unmask x")).lines
                == [
                    "failure  units: pttd.socket is masked", "         $ systemctl unmask x",
                ]
        )
        #expect(
            Check.seat.warning(Text("no session"), cure: .advice(Text("log in"))).lines == [
                "warning  seat: no session", "         → log in",
            ]
        )
    }

    @Test func `a record has a command or an advice`() {
        let cured = FindingRecord(Check.core.failure(Text("x"), cure: .command("y")))
        #expect((cured.severity, cured.command, cured.advice) == ("failure", "y", nil))
        let advised = FindingRecord(Check.core.warning(Text("x"), cure: .advice(Text("y"))))
        #expect((advised.severity, advised.command, advised.advice) == ("warning", nil, "y"))
        #expect(FindingRecord(Check.core.ok(Text("x"))).severity == "ok")
    }
}

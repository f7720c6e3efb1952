import PTTMessages
import Testing

@testable import ptt_doctor

@Suite struct DoctorReportTests {
    @Test func `a finding is a line, and its cure the next`() {
        let findings =
            Check.core.ok(Text("pttd 1.2 answers"))
            + Check.units.failure(Text("pttd.socket is masked"), cure: .command("systemctl unmask x"))
            + Check.seat.warning(Text("no session"), cure: .advice(Text("log in")))
        #expect(
            findings.map(\.lines) == [
                ["ok       core: pttd 1.2 answers"],
                ["failure  units: pttd.socket is masked", "         $ systemctl unmask x"],
                ["warning  seat: no session", "         → log in"],
            ]
        )
    }

    @Test func `a record has a command or an advice`() {
        let cured = FindingRecord(Check.core.failure(Text("x"), cure: .command("y"))[0])
        #expect((cured.severity, cured.command, cured.advice) == ("failure", "y", nil))
        let advised = FindingRecord(Check.core.warning(Text("x"), cure: .advice(Text("y")))[0])
        #expect((advised.severity, advised.command, advised.advice) == ("warning", nil, "y"))
        #expect(FindingRecord(Check.core.ok(Text("x"))[0]).severity == "ok")
    }
}

/// All that `pttctl doctor` observes of a machine.
package struct HostFacts: Equatable, Sendable {
    package var session: SessionFacts
    package var units: Result<ServiceManagerFacts, Silence>
    package var daemons: DaemonFacts

    package init(
        session: SessionFacts,
        units: Result<ServiceManagerFacts, Silence>,
        daemons: DaemonFacts
    ) {
        self.session = session
        self.units = units
        self.daemons = daemons
    }

    /// In the order in which one problem is the cause of those below it.
    package var findings: [Finding] {
        session.findings + ServiceManagerFacts.findings(units) + daemons.findings
    }
}

extension Silence: Error {}

/// All that `pttctl doctor` observes of a machine.
struct HostFacts: Equatable, Sendable {
    /// Nil if it is not known.
    var distribution: Distribution?
    var session: SessionFacts
    var kernel: KernelFacts
    var units: Result<ServiceManagerFacts, Silence>
    var daemons: DaemonFacts
    var seat: Result<SeatFacts, Silence>
    var udev: UdevFacts
    var bluetooth: Result<BluetoothFacts, Silence>
    var sound: Result<SoundFacts, Silence>
    /// Nil if the service manager has not answered.
    var soundUnits: SoundUnits?
    /// Nil unless a person asked for a recording.
    var recording: RecordingFacts?
    /// Nil if the disk has not answered.
    var files: FileFacts?
    var desktop: Result<DesktopFacts, Silence>

    /// In the order in which one problem is the cause of those below it, with the commands of this
    /// distribution.
    var findings: [Finding] { observed.map { $0.resolved(on: distribution) } }

    private var observed: [Finding] {
        session.findings + kernel.findings + ServiceManagerFacts.findings(units) + daemons.findings
            + SeatFacts.findings(seat) + udev.findings(isAtSeat: isAtSeat)
            + BluetoothFacts.findings(bluetooth) + daemons.deviceFindings
            + SoundFacts.findings(sound, soundUnits, daemons.unheardDevices)
            + [recording?.finding].compactMap(\.self)
            + FileFacts.findings(files, userID: session.userID)
            + DesktopFacts.findings(desktop, headsets: daemons.bluetoothHeadsets)
    }

    /// Nil if logind has not answered, which is a finding of its own.
    private var isAtSeat: Bool? { try? seat.get().isAtSeat }
}

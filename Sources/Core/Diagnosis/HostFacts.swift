/// All that `pttctl doctor` observes of a machine.
package struct HostFacts: Equatable, Sendable {
    /// Nil if it is not known.
    package var distribution: Distribution?
    package var session: SessionFacts
    package var kernel: KernelFacts
    package var units: Result<ServiceManagerFacts, Silence>
    package var daemons: DaemonFacts
    package var seat: Result<SeatFacts, Silence>
    package var udev: UdevFacts
    package var bluetooth: Result<BluetoothFacts, Silence>
    package var sound: Result<SoundFacts, Silence>
    /// Nil if the service manager has not answered.
    package var soundUnits: SoundUnits?
    /// Nil unless a person asked for a recording.
    package var recording: RecordingFacts?
    /// Nil if the disk has not answered.
    package var files: FileFacts?
    package var desktop: Result<DesktopFacts, Silence>

    package init(
        distribution: Distribution?,
        session: SessionFacts,
        kernel: KernelFacts,
        units: Result<ServiceManagerFacts, Silence>,
        daemons: DaemonFacts,
        seat: Result<SeatFacts, Silence>,
        udev: UdevFacts,
        bluetooth: Result<BluetoothFacts, Silence>,
        sound: Result<SoundFacts, Silence>,
        soundUnits: SoundUnits?,
        recording: RecordingFacts?,
        files: FileFacts?,
        desktop: Result<DesktopFacts, Silence>
    ) {
        self.distribution = distribution
        self.session = session
        self.kernel = kernel
        self.units = units
        self.daemons = daemons
        self.seat = seat
        self.udev = udev
        self.bluetooth = bluetooth
        self.sound = sound
        self.soundUnits = soundUnits
        self.recording = recording
        self.files = files
        self.desktop = desktop
    }

    /// In the order in which one problem is the cause of those below it, with the commands of this
    /// distribution.
    package var findings: [Finding] { observed.map { $0.resolved(on: distribution) } }

    private var observed: [Finding] {
        session.findings + kernel.findings + ServiceManagerFacts.findings(units) + daemons.findings
            + SeatFacts.findings(seat) + udev.findings(isAtSeat: isAtSeat)
            + BluetoothFacts.findings(bluetooth) + daemons.deviceFindings
            + SoundFacts.findings(sound, soundUnits, daemons.unheardDevices)
            + [recording?.finding].compactMap(\.self)
            + FileFacts.findings(files, userID: session.userID)
            + DesktopFacts.findings(desktop, headsets: daemons.bluetoothHeadsets)
    }

    private var isAtSeat: Bool? {
        switch seat {
        case .success(let seat): seat.isAtSeat
        case .failure: nil
        }
    }
}

extension Silence: Error {}

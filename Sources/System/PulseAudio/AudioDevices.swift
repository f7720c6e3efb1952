/// The server and its sources at one moment.
struct AudioDevices: Sendable, Equatable {
    /// The server's name and version, for people.
    var serverName = ""
    /// The source for streams that do not name one.
    var defaultSource: String?
    var sources: [AudioDevice] = []
    /// The streams by which software sources record from other sources.
    var sourceOutputs: [SourceOutput] = []

    /// Longer lists from the server are truncated.
    static let limit = 1000
}

/// A source of the server: a microphone, a monitor, or software that acts as a source.
struct AudioDevice: Sendable, Equatable {
    /// The server's index of it.
    let index: UInt32
    /// The server's name of it, for requests.
    let name: String
    /// Muted in the server. This is the user's decision, and nothing here ever changes it.
    let isMuted: Bool
    /// A monitor source, which captures what a sink plays; not a microphone.
    let isMonitor: Bool
    /// Has the property that marks this program's own devices.
    let isOwn: Bool
    /// A hardware device, not software (`PA_SOURCE_HARDWARE`).
    let isHardware: Bool
    /// The active port is known to have nothing plugged in (`PA_PORT_AVAILABLE_NO`).
    let isUnplugged: Bool
    let owner: DeviceOwner
}

/// What created a software source and the streams by which it records.
struct DeviceOwner: Sendable, Equatable {
    /// The server module, on PulseAudio and for the modules of pipewire-pulse.
    let module: UInt32?
    /// PipeWire's `node.link-group`, also for nodes that are configured in PipeWire itself.
    let linkGroup: String?

    func isSame(as other: DeviceOwner) -> Bool {
        if let module, module == other.module { return true }
        if let linkGroup, linkGroup == other.linkGroup { return true }
        return false
    }
}

/// A stream by which a software source (`module-remap-source`, an echo canceller) records from another source.
struct SourceOutput: Sendable, Equatable {
    let owner: DeviceOwner
    /// The index of the source that it records from; `PA_INVALID_INDEX` if there is none.
    let source: UInt32
}

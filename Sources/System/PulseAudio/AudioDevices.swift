/// The server and its devices at one moment.
package struct AudioDevices: Sendable, Equatable {
    /// The server's name and version, for people.
    package var serverName = ""
    /// The source for streams that do not name one.
    package var defaultSource: String?
    /// The sink for streams that do not name one.
    package var defaultSink: String?
    package var sources: [AudioDevice] = []
    package var sinks: [AudioDevice] = []
    /// The streams by which software sources record from other sources.
    var sourceOutputs: [SourceOutput] = []

    /// Longer lists from the server are truncated.
    static let limit = 1000
}

/// A source or sink of the server: a microphone, a speaker, or software that acts as one.
package struct AudioDevice: Sendable, Equatable {
    /// The server's index of it.
    let index: UInt32
    /// The server's name of it, for requests.
    package let name: String
    /// The name for people.
    package let description: String
    /// Muted in the server. This is the user's decision, and nothing here ever changes it.
    package let isMuted: Bool
    /// A monitor source, which captures what a sink plays; not a microphone.
    package let isMonitor: Bool
    /// Asleep until something uses it, or temporarily unavailable.
    package let isSuspended: Bool
    /// Has the property that marks this program's own devices.
    package let isOwn: Bool
    /// A hardware device, not software (`PA_SOURCE_HARDWARE`, `PA_SINK_HARDWARE`).
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

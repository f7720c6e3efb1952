/// The server and its devices at one moment.
package struct AudioDevices: Sendable, Equatable {
    /// The server's own name and version, for people.
    package var serverName = ""
    /// The source that a stream without a wish captures from.
    package var defaultSource: String?
    /// The sink that a stream without a wish plays to.
    package var defaultSink: String?
    package var sources: [AudioDevice] = []
    package var sinks: [AudioDevice] = []
    /// What software sources record from.
    var feeds: [SourceFeed] = []

    /// Lists longer than this are cut, whatever the server sends.
    static let limit = 1000
}

/// A microphone, a speaker, or software that acts as one.
package struct AudioDevice: Sendable, Equatable {
    /// The server's number for it.
    let index: UInt32
    /// The name that the server knows it by, for requests.
    package let name: String
    /// The name for people.
    package let description: String
    /// Muted in the server. Nothing here ever changes that: it is the user's own decision.
    package let isMuted: Bool
    /// A source that repeats what a sink plays; not a microphone.
    package let isMonitor: Bool
    /// Asleep until something uses it, or taken away for now.
    package let isSuspended: Bool
    /// Carries the mark of the devices that this program has made itself.
    package let isOwn: Bool
    /// A device, and not software (`PA_SOURCE_HARDWARE`, `PA_SINK_HARDWARE`).
    let isHardware: Bool
    /// The jack in use is known to have nothing in it (`PA_PORT_AVAILABLE_NO`).
    let isUnplugged: Bool
    let maker: SoftwareMaker
}

/// What ties a software source to the streams that it records with.
struct SoftwareMaker: Sendable, Equatable {
    /// The module of the server, on PulseAudio and for the modules of pipewire-pulse.
    let module: UInt32?
    /// PipeWire's `node.link-group`, also for what is set up in PipeWire itself.
    let linkGroup: String?

    func isSame(as other: SoftwareMaker) -> Bool {
        if let module, module == other.module { return true }
        if let linkGroup, linkGroup == other.linkGroup { return true }
        return false
    }
}

/// A stream by which a software source (`module-remap-source`, an echo canceller) records from another source.
struct SourceFeed: Sendable, Equatable {
    let maker: SoftwareMaker
    /// The index of the source that it records from; that of no source if there is none.
    let source: UInt32
}

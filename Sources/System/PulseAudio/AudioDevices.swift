/// The server and its devices at one moment, as far as they were listed.
package struct AudioDevices: Sendable, Equatable {
    /// The server's name and version, for people.
    package var serverName = ""
    /// The source for streams that do not name one.
    package var defaultSource: String?
    /// The microphone that was the default source before, if it is another source now.
    package internal(set) var previousDefaultSource: String?
    /// The sink for streams that do not name one.
    package var defaultSink: String?
    package var sources: [AudioDevice] = []
    package var sinks: [AudioSink] = []
    /// The streams that record, of applications and of software sources.
    package var sourceOutputs: [AudioStream] = []
    /// The streams that play.
    package var sinkInputs: [AudioStream] = []
    package var modules: [AudioModule] = []
    package var cards: [AudioCard] = []

    package init() {}

    /// Longer lists from the server are truncated.
    static let limit = 1000
}

/// A source of the server: a microphone, a monitor, or software that acts as a source.
package struct AudioDevice: Sendable, Equatable {
    /// The server's index of it.
    package let index: UInt32
    /// The server's name of it, for requests.
    package let name: String
    /// For people.
    package internal(set) var description = ""
    /// Muted in the server. This is the user's decision.
    package let isMuted: Bool
    /// The volume is 0 in the server. This is the user's decision.
    package internal(set) var isSilent = false
    /// Something records from it, also what is no stream: on PipeWire, the clients of JACK and what `pw-link`
    /// connects.
    package internal(set) var isRunning = false
    /// A monitor source, which captures what a sink plays; not a microphone.
    package let isMonitor: Bool
    /// Has the property that marks this program's own devices.
    package let isOwn: Bool
    /// A hardware device, not software (`PA_SOURCE_HARDWARE`).
    let isHardware: Bool
    /// The active port is known to have nothing plugged in (`PA_PORT_AVAILABLE_NO`).
    package let isUnplugged: Bool
    /// The input of it that is captured; nil if it has only one, or the server does not know yet.
    package internal(set) var port: Port?
    /// The server's index of the card that it belongs to.
    package internal(set) var card: UInt32?
    /// Software in front of the microphone of a Bluetooth headset, which is there also while the headset
    /// plays music and has none, and delivers zeros then (WirePlumber 0.5). Opening it makes WirePlumber
    /// change the profile, some time later.
    package internal(set) var isHeadsetLoopback = false
    let owner: DeviceOwner

    /// An input of a source: the microphone at a jack, or the built-in one. The server changes from one to
    /// the other when a plug is pulled.
    package struct Port: Sendable, Equatable {
        /// The server's name of it, unique among those of the source.
        package let name: String
        /// For people.
        package let description: String
    }
}

/// A sink of the server.
package struct AudioSink: Sendable, Equatable {
    /// The server's index of it.
    package let index: UInt32
    /// The server's name of it, for requests.
    package let name: String
    package let isMuted: Bool
    /// The volume is 0 in the server.
    package internal(set) var isSilent = false
    /// Has the property that marks this program's own devices.
    package let isOwn: Bool
    /// Only the person who wears it hears it.
    package var isHeadset = false
    /// The server's index of the card that it belongs to.
    package internal(set) var card: UInt32?
    /// The index of the source that records what it plays.
    let monitor: UInt32?
    let owner: DeviceOwner
}

/// The creator of a device, and the streams by which it records or plays.
package struct DeviceOwner: Sendable, Equatable {
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

/// A stream that records or plays: that of an application, or of software that acts as a device
/// (`module-remap-source`, an echo canceller).
package struct AudioStream: Sendable, Equatable {
    /// The server's index of it.
    package var index: UInt32 = 0
    /// The index of the source or sink; `PA_INVALID_INDEX` if there is none.
    package var device: UInt32
    /// Of this connection to the server.
    package var isOwn = false
    /// The index of the client; nil for software in the server.
    package var client: UInt32?
    /// The name of the stream, or what it plays.
    package var name = ""
    /// `application.name`.
    package var applicationName: String?
    /// `application.id`.
    package var applicationID: String?
    /// `application.process.id`.
    var processID: String?
    /// `media.role`.
    package var role: String?
    /// The name of the device that it asked for, `target.object`; nil if it asked for none, and on
    /// PulseAudio.
    var requestedDevice: String?
    package var isCorked = false
    package var isMuted = false
    /// The volume is 0; known of streams that record.
    package var isSilent = false
    /// Only measures the level, as volume controls do.
    package var isMeter = false
    /// Of its channels, if it plays and the server can change it; 65536 is 100 %, and cubic as in volume
    /// controls.
    package internal(set) var volumes: [UInt32] = []
    /// The key by which the server remembers its volume, mute and device for the next stream of the same
    /// application.
    package internal(set) var restoreID: String?
    /// Has the property that marks this program's own devices, also if it is that of another process.
    package var isMarked = false
    var owner = DeviceOwner(module: nil, linkGroup: nil)
}

/// A module of the server.
package struct AudioModule: Sendable, Equatable {
    package let index: UInt32
    package let name: String
    package let argument: String
}

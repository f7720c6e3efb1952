/// A source that applications record from, and the sink that feeds it: names, descriptions, and the server's
/// modules.
///
/// PulseAudio needs a null sink and the remapped monitor of it, because a monitor is not offered as a
/// microphone. pipewire-pulse needs one loopback, which delivers earlier than a remapped source there.
package struct VirtualSourceDefinition: Sendable, Equatable {
    /// The server's name of the source: letters, digits, `_`.
    let sourceName: String
    /// The name that people choose, without quotation marks.
    let sourceDescription: String
    /// The server's name of the sink.
    let feedName: String
    /// The name of the sink for people, without quotation marks.
    let feedDescription: String
    /// The property that marks this program's own devices, as for ``AudioServer``.
    let mark: String
    /// How a person unloads both, for a sentence about a source that is not as it should be.
    let removal: String

    package init(
        sourceName: String,
        sourceDescription: String,
        feedName: String,
        feedDescription: String,
        mark: String,
        removal: String
    ) {
        self.sourceName = sourceName
        self.sourceDescription = sourceDescription
        self.feedName = feedName
        self.feedDescription = feedDescription
        self.mark = mark
        self.removal = removal
    }

    /// A module to load.
    struct Module: Sendable, Hashable {
        let name: String
        let argument: String
    }

    /// PulseAudio: the sink. `norewinds`: otherwise it renders two seconds ahead while nothing plays, and
    /// delivers nothing until the clock has caught up.
    var sinkModule: Module {
        Module(
            name: "module-null-sink",
            argument: "sink_name=\(feedName) rate=48000 channels=1 channel_map=mono norewinds=1 "
                + "sink_properties='device.description=\"\(feedDescription)\" \(mark)=feed'"
        )
    }

    /// PulseAudio: the source.
    var sourceModule: Module {
        Module(
            name: "module-remap-source",
            argument: "master=\(feedName).monitor source_name=\(sourceName) channels=1 channel_map=mono "
                + "source_properties='\(sourceProperties)'"
        )
    }

    /// PulseAudio: its command line, for as long as a line is to be written to it.
    static func commandLineModule(at socket: String) -> Module {
        Module(name: "module-cli-protocol-unix", argument: "socket=\(socket)")
    }

    /// Below all that a session manager prefers by itself, also below a device without a priority: neither is
    /// ever the default one while there is another.
    private static let priority = "priority.session=-5000"

    /// pipewire-pulse: both. The sink is muted from its first moment on, and so is its monitor.
    var loopbackModule: Module {
        Module(
            name: "module-loopback",
            argument: "sink_input_properties='media.class=Audio/Source node.name=\(sourceName) "
                + "node.description=\"\(sourceDescription)\" \(Self.priority) \(sourceProperties)' "
                + "source_output_properties='media.class=Audio/Sink node.name=\(feedName) "
                + "node.description=\"\(feedDescription)\" device.description=\"\(feedDescription)\" "
                + "\(Self.priority) monitor.channel-volumes=true node.param.Props=\"{ mute = true }\" "
                + "\(mark)=feed' channels=1 channel_map=mono"
        )
    }

    private var sourceProperties: String {
        "device.description=\"\(sourceDescription)\" device.icon_name=\"audio-input-microphone\" "
            + "device.form_factor=\"microphone\" \(mark)=\"microphone\""
    }

    var modules: [Module] { [sourceModule, sinkModule, loopbackModule] }
}

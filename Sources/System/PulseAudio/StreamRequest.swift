/// What a stream should be like.
package struct StreamRequest: Sendable, Equatable {
    /// Shown to people beside the application's name.
    package var name: String
    package var format: SampleSpec
    /// `media.role`. `phone` moves a Bluetooth headset to its profile with a microphone. A playback stream with it makes
    /// PulseAudio (`module-role-cork`) pause players on the same sink for as long as the stream runs; PipeWire changes
    /// nothing of what others play.
    package var role: String
    /// How much audio comes or goes at a time. For capture the size of a fragment, for playback the amount that
    /// the server holds ahead.
    package var latency: Duration
    /// The server's name of the device. If nil, the user's default speaker, or the user's microphone
    /// (``AudioDevices/microphone``): a source that repeats what a speaker plays is captured from only if it is named here.
    /// If the device is not there, the stream fails.
    package var device: String?
    /// More properties of the stream.
    package var properties: [String: String]

    package init(
        name: String,
        format: SampleSpec = .speech,
        role: String = "phone",
        latency: Duration = .milliseconds(20),
        device: String? = nil,
        properties: [String: String] = [:]
    ) {
        self.name = name
        self.format = format
        self.role = role
        self.latency = latency
        self.device = device
        self.properties = properties
    }
}

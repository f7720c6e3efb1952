/// The properties of a stream to open.
package struct StreamRequest: Sendable, Equatable {
    /// Shown to people next to the application's name.
    package var name: String
    package var format: SampleSpec
    /// `media.role`. `phone` switches a Bluetooth headset to its profile with a microphone. For the duration
    /// of a playback stream with it, PulseAudio (`module-role-cork`) pauses players on the same sink;
    /// PipeWire does not affect other streams. Servers remember volume and mute for all streams of a role
    /// together. Nil for none.
    package var role: String?
    /// For capture the size of a fragment, for playback the amount that the server buffers ahead.
    package var latency: Duration
    /// The server's name of the device. If nil, the user's default speaker, or the user's microphone
    /// (``AudioDevices/microphone``): a monitor is captured from only if it is named here. If there is no
    /// such device, the stream fails.
    package var device: String?
    /// Capture only, in place of `device`: names or descriptions of sources. The first that is present is
    /// captured from; if none is, the stream fails.
    package var preferences: [String]
    /// Playback only. Nothing is played before ``PlaybackStream/cork(_:)`` with false.
    package var startsCorked: Bool
    /// Playback only. The server fails the stream when its device is removed, instead of moving it, and
    /// refuses a move by anybody. Capture streams are always so.
    var staysOnDevice = false
    /// Playback only. The name of a sink that the server must not choose: there the stream fails. The server
    /// chooses the feed of a virtual source too, where it has no other sink.
    package var avoidedDevice: String?
    /// Playback only. How much must be written before the server begins to play, also after an underflow and
    /// ``PlaybackStream/flush()``; at least one sample, which is the default.
    var prebuffer = Duration.zero
    /// Playback only. How much the server asks for at once, at least, and the latency at which it runs the
    /// device: `latency` is then what waits for the device at most. If nil, the server chooses both from
    /// `latency`.
    var portion: Duration?
    /// The most that the server stores; half a second if nil, and never less than four times `latency`.
    package var bufferLimit: Duration?
    /// More properties of the stream.
    var properties: [String: String] = [:]

    package init(
        name: String,
        format: SampleSpec = .speech,
        role: String? = "phone",
        latency: Duration = .milliseconds(20),
        device: String? = nil,
        preferences: [String] = [],
        startsCorked: Bool = false,
        avoidedDevice: String? = nil,
        bufferLimit: Duration? = nil
    ) {
        self.name = name
        self.format = format
        self.role = role
        self.latency = latency
        self.device = device
        self.preferences = preferences
        self.startsCorked = startsCorked
        self.avoidedDevice = avoidedDevice
        self.bufferLimit = bufferLimit
    }
}

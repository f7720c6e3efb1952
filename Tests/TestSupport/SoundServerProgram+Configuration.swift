extension SoundServerProgram {
    /// The files of the server in its directory.
    func configuration(_ directory: String) -> [(name: String, text: String)] {
        switch self {
        case .pulseAudio: [("pulse.pa", pulseScript(directory))]
        case .pipeWire: [("config/pipewire/pipewire.conf.d/devices.conf", pipeWireDevices)]
        }
    }
}

private func pulseScript(_ directory: String) -> String {
    """
    load-module module-native-protocol-unix socket=\(directory)/pulse/native auth-anonymous=1
    load-module module-null-sink sink_name=speaker norewinds=1
    load-module module-pipe-source source_name=tone file=\(directory)/tone.pipe rate=48000 channels=1
    set-default-source tone
    set-default-sink speaker

    """
}

private let pipeWireDevices = """
    context.objects = [
        { factory = adapter args = {
            factory.name = support.null-audio-sink node.name = speaker media.class = Audio/Sink
            # As devices of ALSA have: those without are not preferred to the core's own, and WirePlumber 0.5 takes
            # the monitor of a sink with the same one for the microphone.
            priority.session = 1000
            object.linger = true audio.position = [ FL FR ] monitor.channel-volumes = true } }
    ]

    """

/// A program whose source delivers what is written to a pipe. Without a priority WirePlumber 0.5 prefers a
/// source to the default one that was chosen.
///
/// One of PipeWire 1.4 that was paused delivers first what waited in its pipe, and then nothing for 160 ms;
/// one of 0.3 that always runs is silent at times.
func pipeWireMicrophone(_ name: String, pipe: String, isOld: Bool) -> String {
    """
    context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
    context.modules = [
        { name = libpipewire-module-protocol-native }
        { name = libpipewire-module-client-node }
        { name = libpipewire-module-adapter }
        { name = libpipewire-module-pipe-tunnel args = {
            tunnel.mode = source pipe.filename = "\(pipe)"
            audio.format = S16LE audio.rate = 48000 audio.channels = 1 audio.position = [ MONO ]
            stream.props = {
                node.name = \(name) media.class = Audio/Source node.autoconnect = false
                priority.session = \(name == "tone" ? 2000 : 1000)
                node.always-process = \(!isOld) } } }
    ]

    """
}

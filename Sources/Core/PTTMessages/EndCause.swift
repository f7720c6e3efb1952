/// Why a transmission ended.
package enum EndCause: String, WireEnum {
    case unknown
    /// The button was released, or pressed again if it toggles or was latched.
    case released
    /// The application or a person asked for the end.
    case stopped
    /// The time-out timer expired.
    case timeLimit
    /// The connection that held the transmission closed: its program ended, was killed, or broke the
    /// protocol.
    case connectionLost
    /// The application of the channel ended or disconnected.
    case applicationGone
    /// The application of the channel closed its audio socket, or broke its protocol.
    case audioConnectionLost
    case channelLeft
    /// The radio link to the button broke, its services disappeared, the adapter was removed or bluetoothd
    /// ended.
    case linkLost
    /// The input device was unplugged.
    case deviceRemoved
    /// The audio server ended or refused the microphone.
    case audioServerLost
    /// The microphone was removed or stopped delivering audio.
    case microphoneLost
    /// There is no microphone, or not the one that the configuration names. A monitor of a speaker is not a
    /// microphone.
    case noMicrophone
    /// The microphone is muted in the audio server, or its volume is 0: nobody would hear what is said.
    case microphoneMuted
    case suspended
    /// The screen was locked, and the configuration refuses transmissions while it is.
    case sessionLocked
    /// Another session became the active one of the seat.
    case sessionInactive
    /// The channel's transmission mode no longer allows transmitting.
    case modeChanged
    /// The application of the channel was started for the transmission and did not attach.
    case applicationUnavailable
    /// The core is shutting down.
    case shuttingDown
    /// An emergency took its place.
    case preempted
    /// The application ended it because somebody else has the floor of its network.
    case floorTaken
    /// A call began.
    case callActive
    /// The last application that recorded from the Push-to-Talk Microphone stopped, or the Push-to-Talk
    /// Microphone is gone.
    case recorderGone
}

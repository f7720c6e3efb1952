/// The state of the audio session, which the core activates and deactivates.
package enum AudioState: String, WireEnum {
    case unknown
    case inactive
    /// A stream is being opened: no audio has come from the microphone, or gone to the speaker, yet.
    case activating
    /// The microphone has delivered its first buffer, or the speaker is open.
    case active
}

/// The cause of an interruption of the audio session while it was in use.
package enum Interruption: String, WireEnum {
    case unknown
    case audioServerLost
    case speakerLost
    /// The application closed its audio socket, or broke its protocol.
    case audioConnectionLost
    case suspended
    /// A call began.
    case call
    /// Another session became the active one of the seat.
    case sessionInactive
}

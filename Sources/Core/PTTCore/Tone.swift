/// A short sound for the person at this machine, never for the other end.
package enum Tone: String, CaseIterable, Codable, Sendable {
    /// The microphone is live: speak.
    case talkPermit
    /// A transmission has ended.
    case end
    /// A tap keeps the microphone open until the next press.
    case latched
    /// A press was refused, or its microphone could not be opened.
    case denied
    /// A press was refused because the channel is in use.
    case busy
    case timeLimitNear
    case timeLimitReached
    /// A transmission has ended because the link to its button was lost, or its device was removed.
    case accessoryLost
    case batteryLow
}

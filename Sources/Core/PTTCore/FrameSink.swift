/// The destination of captured frames.
package enum FrameSink: Equatable, Sendable {
    /// The audio socket of an application.
    case application(ClientID)
    /// The Push-to-Talk Microphone, which call applications record from.
    case virtualMicrophone
}

/// The destination of captured frames.
package enum FrameSink: Equatable, Sendable {
    /// The audio socket of an application, or of a client that records.
    case client(ClientID)
    /// The Push-to-Talk Microphone, which call applications record from.
    case virtualMicrophone
}

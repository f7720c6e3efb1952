import PTTMessages

/// An application on the socket, with or without a channel.
struct Attached: Equatable, Sendable {
    let owner: Owner
    let processID: Int
    let format: AudioFormat
    var isForeground: Bool
    /// For the first channel that it joins; nil once that is done.
    var pushToken: PushToken?

    var application: Application { Application(name: owner.name, processID: processID) }
}

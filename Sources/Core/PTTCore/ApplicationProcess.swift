import PTTMessages

/// A process of an application that is connected to the socket, with or without a channel.
struct ApplicationProcess: Equatable, Sendable {
    let owner: Owner
    let processID: Int
    let format: AudioFormat
    var isForeground: Bool
    /// For the first channel that it joins; nil afterwards.
    var pushToken: PushToken?

    var application: Application { Application(name: owner.name, processID: processID) }
}

extension ApplicationProcess {
    /// A client that names itself in `Join` instead of attaching; nil for a client that does not.
    init?(joining request: ChannelInterface.JoinRequest, processID: Int) {
        guard let name = request.application else { return nil }
        self.init(
            owner: Owner(identifier: ApplicationID(rawValue: name), name: name, activation: nil),
            processID: processID,
            format: request.format ?? .standard,
            isForeground: true,
            pushToken: nil
        )
    }
}

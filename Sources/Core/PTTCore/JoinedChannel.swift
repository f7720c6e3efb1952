import PTTMessages

/// The channel, while it is joined.
struct JoinedChannel: Equatable, Sendable {
    /// The program that receives the audio, on the connection it joined with.
    struct Receiver: Equatable, Sendable {
        let client: ClientID
        let application: Application
    }

    enum Transmit: Equatable, Sendable {
        case idle
        case transmitting(Lease)
    }

    let channelID: ChannelID
    var name: String
    var format: AudioFormat
    /// Nil if the channel was joined without an application, or its application has gone.
    var receiver: Receiver?
    var transmit = Transmit.idle
    var audio = AudioSession.inactive

    var lease: Lease? {
        switch transmit {
        case .idle: nil
        case .transmitting(let lease): lease
        }
    }

    var description: Channel {
        Channel(channelID: channelID, name: name, application: receiver?.application)
    }

    /// Brings the audio session in line: it is wanted exactly while somebody talks, and a change that keeps it wanted
    /// is no news.
    mutating func followAudio(_ turn: inout Turn) {
        switch (transmit, audio) {
        case (.transmitting(let lease), .inactive):
            audio.activate(Capture(captureID: lease.captureID, format: format), &turn)
        case (.idle, .activating), (.idle, .active):
            audio.deactivate(&turn)
        case (.idle, .inactive), (.transmitting, .activating), (.transmitting, .active):
            break
        }
    }
}

/// A transmission that is going on: it belongs to one connection and one origin, and its time is limited.
struct Lease: Equatable, Sendable {
    let transmission: Transmission
    let holder: ClientID
    /// When to warn of the limit; nil once that is done.
    var warning: MonotonicTime?
    let limit: MonotonicTime

    /// One capture stream per transmission, so it takes its number.
    var captureID: CaptureID { CaptureID(rawValue: transmission.transmissionID.rawValue) }

    var deadline: MonotonicTime { warning ?? limit }
}

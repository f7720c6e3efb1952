import PTTMessages

/// Every reason that the core gives. Each says what is in the way and, where there is something to do, what.
extension Refusal {
    static let notJoined = Refusal(.channelNotFound, "no channel is joined: run `pttctl join`")

    static let nobodyTransmits = Refusal(.transmissionNotFound, "nobody is transmitting")

    static let noAudioServer = Refusal(
        .unknown,
        "no audio server is connected: is PipeWire or PulseAudio running? `pttctl status` tells when it is there"
    )

    static let suspending = Refusal(.unknown, "the machine is about to suspend")

    static let shuttingDown = Refusal(.unknown, "pttd is shutting down")

    static func channelLimit(_ joined: JoinedChannel) -> Refusal {
        let holder = joined.receiver.map { ", held by \($0.application.name)" } ?? ""
        let way =
            joined.receiver == nil
            ? "join it by this identifier, or leave it first with `pttctl leave`"
            : "leave it first with `pttctl leave`"
        return Refusal(
            .channelLimitReached,
            "the channel \(joined.name) (\(joined.channelID)) is already joined\(holder): \(way)"
        )
    }

    static func otherChannel(_ channelID: ChannelID, joined: JoinedChannel) -> Refusal {
        Refusal(
            .channelNotFound,
            "the channel \(channelID) is not joined; \(joined.name) (\(joined.channelID)) is"
        )
    }

    static func inProgress(_ transmission: Transmission) -> Refusal {
        Refusal(.transmissionInProgress, "\(transmission.origin.name) is already transmitting")
    }

    static func notHeld(by origin: Origin, _ transmission: Transmission) -> Refusal {
        Refusal(
            .transmissionNotFound,
            transmission.origin == origin
                ? "the transmission of \(origin.name) belongs to another connection"
                : "\(origin.name) is not transmitting; \(transmission.origin.name) is"
        )
    }

    static func freshPress(_ origin: Origin) -> Refusal {
        Refusal(
            .transmissionNotAllowed,
            "\(origin.name) ran into the time limit: let go of it, then press again"
        )
    }

    /// Gives nil if all of the texts are short enough to keep.
    static func tooLong(_ texts: String...) -> Refusal? {
        guard texts.contains(where: { $0.utf8.count > TalkSession.longestText }) else { return nil }
        return Refusal(
            .unknown,
            "a name is longer than \(TalkSession.longestText) bytes: choose a shorter one"
        )
    }
}

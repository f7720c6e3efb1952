import PTTCore
import PTTMessages
import TestSupport

/// What follows the first words of a line, by name, in any order.
struct TraceValues {
    var client: Int?
    var process = 0
    var channelID: ChannelID?
    var fresh: ChannelID?
    var name: String?
    var application: String?
    var image: String?
    var descriptor: String?
    var speaker: String?
    var reason: String?
    var input: String?
    var output: String?
    var format: AudioFormat?
    var source = TransmitSource.handsfreeButton
    var origin: Origin?
    var cause: EndCause?
    var interruption = Interruption.speakerLost
    var activation: Activation?
    var isForeground: Bool?
    var flag = true
    var status = ServiceStatus.ready
    var mode = TransmissionMode.halfDuplex
    var endsTransmission = false
    var result = ApplicationInterface.PushResult.activeRemoteParticipant
    var push = 1
    var token = PushToken(rawValue: "cccc")
    var topic = "org.example.Radio.voip-ptt"
    var type = "pushtotalk"
    var priority = 10
    var expiration = 0
    var arrived = 0
    var payload = "  "
    var content = PushEnvelope.Content.readable(isServiceUpdate: false)

    func connection() throws -> ClientID {
        guard let client else { throw TraceWords.Failure("the client is missing") }
        return ClientID(rawValue: client)
    }

    var envelope: PushEnvelope {
        PushEnvelope(
            request: .init(
                token: token,
                topic: topic,
                type: type,
                priority: priority,
                expiration: expiration,
                payload: payload
            ),
            content: content,
            arrived: arrived
        )
    }

    private var participant: ApplicationInterface.Speaker? {
        speaker.map { ApplicationInterface.Speaker(name: $0, image: image) }
    }

    func restored() throws -> TalkSession.Event {
        guard let channelID else { throw TraceWords.Failure("the channel is missing") }
        let owner = application.map {
            Owner(identifier: ApplicationID(rawValue: $0), name: name ?? $0, activation: activation)
        }
        let saved = SavedChannel(
            channelID: channelID,
            owner: owner,
            pushToken: token,
            transmissionMode: mode,
            areAccessoryEventsEnabled: flag
        )
        return try .restored(
            saved,
            descriptor: descriptor.map {
                try Descriptor(name: $0, image: image.map { try Image(base64: $0) })
            }
        )
    }

    func request(_ word: String) throws -> TalkSession.Request? {
        switch word {
        case "attach": .attach(attachRequest, processID: process, newToken: token)
        case "join":
            .join(
                .init(
                    channelID: channelID,
                    name: name ?? "",
                    application: application,
                    format: format,
                    image: image
                ),
                processID: process,
                newChannelID: fresh ?? ChannelID(randomBytes: (0, 1)),
                newToken: token
            )
        case "leave": .leave(.init(channelID: channelID))
        case "rename": .setDescriptor(.init(channelID: channelID, name: name ?? "", image: image))
        case "begin": try .begin(.init(channelID: channelID, source: source, origin: required(origin)))
        case "end": .end(.init(channelID: channelID, origin: origin, cause: cause))
        default: setting(word)
        }
    }

    private func setting(_ word: String) -> TalkSession.Request? {
        switch word {
        case "foreground": .setForeground(.init(isForeground: flag))
        case "serviceStatus": .setServiceStatus(.init(channelID: channelID, status: status))
        case "transmissionMode": .setTransmissionMode(.init(channelID: channelID, mode: mode))
        case "accessoryEvents": .setAccessoryEvents(.init(channelID: channelID, isEnabled: flag))
        case "participant": .setParticipant(.init(channelID: channelID, participant: participant))
        case "finishPush":
            .finishPush(
                .init(
                    pushID: PushID(rawValue: push),
                    result: result,
                    participant: participant,
                    endsTransmission: endsTransmission
                )
            )
        default: nil
        }
    }

    private var attachRequest: ApplicationInterface.AttachRequest {
        .init(
            identifier: ApplicationID(rawValue: application ?? ""),
            name: name ?? "",
            activation: activation,
            isForeground: isForeground,
            format: format
        )
    }

    private func required(_ origin: Origin?) throws -> Origin {
        guard let origin else { throw TraceWords.Failure("the origin is missing") }
        return origin
    }
}

/// Varlink has no unions: an event is its kind and those of the other fields that belong to it.
private struct Fields: Codable {
    var kind: String
    var channel: Channel?
    var joinReason: JoinReason?
    var leaveReason: LeaveReason?
    var explanation: String?
    var name: String?
    var image: ImageSummary?
    var serviceStatus: ServiceStatus?
    var transmissionMode: TransmissionMode?
    var isEnabled: Bool?
    var participant: Participant?
    var transmission: Transmission?
    var cause: EndCause?
    var endedBy: TransmitSource?
    var origin: Origin?
    var refusal: Refusal?
    var secondsLeft: Int?
    var interruption: Interruption?
    var input: String?
    var output: String?
    var push: Push?
    var pushID: PushID?
    var outcome: PushOutcome?

    init(kind: String) {
        self.kind = kind
    }
}

extension CoreEvent: Codable {
    public init(from decoder: any Decoder) throws {
        let fields = try Fields(from: decoder)
        func required<Value>(_ value: Value?, _ name: String) throws -> Value {
            guard let value else {
                let reason = "an event of the kind \(fields.kind) has no \(name)"
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: reason)
                )
            }
            return value
        }
        switch fields.kind {
        case "channelJoined":
            self = .channelJoined(
                try required(fields.channel, "channel"),
                try required(fields.joinReason, "joinReason")
            )
        case "descriptorChanged":
            self = .descriptorChanged(name: try required(fields.name, "name"), image: fields.image)
        case "applicationStarting": self = .applicationStarting
        case "applicationDetached": self = .applicationDetached
        case "channelLeft":
            self = .channelLeft(
                try required(fields.leaveReason, "leaveReason"),
                explanation: fields.explanation
            )
        case "serviceStatusChanged":
            self = .serviceStatusChanged(try required(fields.serviceStatus, "serviceStatus"))
        case "transmissionModeChanged":
            self = .transmissionModeChanged(try required(fields.transmissionMode, "transmissionMode"))
        case "accessoryEventsChanged":
            self = .accessoryEventsChanged(isEnabled: try required(fields.isEnabled, "isEnabled"))
        case "participantChanged": self = .participantChanged(fields.participant)
        case "transmissionBegan":
            self = .transmissionBegan(try required(fields.transmission, "transmission"))
        case "transmissionEnded":
            self = .transmissionEnded(
                try required(fields.transmission, "transmission"),
                try required(fields.cause, "cause"),
                by: try required(fields.endedBy, "endedBy")
            )
        case "transmissionRefused":
            self = .transmissionRefused(
                try required(fields.origin, "origin"),
                try required(fields.refusal, "refusal")
            )
        case "timeLimitNear":
            self = .timeLimitNear(secondsLeft: try required(fields.secondsLeft, "secondsLeft"))
        case "audioActivating": self = .audioActivating
        case "audioActivated": self = .audioActivated
        case "audioDeactivated": self = .audioDeactivated
        case "audioInterrupted":
            self = .audioInterrupted(try required(fields.interruption, "interruption"))
        case "audioInterruptionEnded": self = .audioInterruptionEnded
        case "routeChanged": self = .routeChanged(input: fields.input, output: fields.output)
        case "audioServerReady": self = .audioServerReady
        case "audioServerLost": self = .audioServerLost
        case "pushFinished":
            self = .pushFinished(
                try required(fields.pushID, "pushID"),
                try required(fields.outcome, "outcome"),
                explanation: fields.explanation
            )
        case "pushReceived": self = .pushReceived(try required(fields.push, "push"))
        case "requestAnswered": self = .requestAnswered(fields.refusal)
        case "endRefused": self = .endRefused(try required(fields.refusal, "refusal"))
        default: self = .unknown(fields.kind)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = Fields(kind: kind)
        switch self {
        case .channelJoined(let channel, let reason): (fields.channel, fields.joinReason) = (channel, reason)
        case .descriptorChanged(let name, let image): (fields.name, fields.image) = (name, image)
        case .channelLeft(let reason, let explanation):
            (fields.leaveReason, fields.explanation) = (reason, explanation)
        case .serviceStatusChanged(let status): fields.serviceStatus = status
        case .transmissionModeChanged(let mode): fields.transmissionMode = mode
        case .accessoryEventsChanged(let isEnabled): fields.isEnabled = isEnabled
        case .participantChanged(let participant): fields.participant = participant
        case .transmissionBegan(let transmission): fields.transmission = transmission
        case .transmissionEnded(let transmission, let cause, let source):
            (fields.transmission, fields.cause, fields.endedBy) = (transmission, cause, source)
        case .transmissionRefused(let origin, let refusal):
            (fields.origin, fields.refusal) = (origin, refusal)
        case .timeLimitNear(let secondsLeft): fields.secondsLeft = secondsLeft
        case .audioInterrupted(let interruption): fields.interruption = interruption
        case .routeChanged(let input, let output): (fields.input, fields.output) = (input, output)
        case .pushFinished(let pushID, let outcome, let explanation):
            (fields.pushID, fields.outcome, fields.explanation) = (pushID, outcome, explanation)
        case .pushReceived(let push): fields.push = push
        case .requestAnswered(let refusal): fields.refusal = refusal
        case .endRefused(let refusal): fields.refusal = refusal
        case .applicationStarting, .applicationDetached, .audioActivating, .audioActivated, .audioDeactivated,
            .audioInterruptionEnded, .audioServerReady, .audioServerLost, .unknown:
            break
        }
        try fields.encode(to: encoder)
    }
}

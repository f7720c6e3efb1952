/// Varlink has no unions: an event has its kind and the members that belong to that kind.
///
/// Only these are written and read: each press is an event for each subscriber, and looking for a member that is not
/// there costs as much as reading one.
extension CoreEvent: Codable {
    private enum CodingKeys: CodingKey {
        case kind
        case channel
        case joinReason
        case leaveReason
        case explanation
        case name
        case image
        case serviceStatus
        case transmissionMode
        case isEnabled
        case participant
        case transmission
        case cause
        case endedBy
        case origin
        case refusal
        case secondsLeft
        case interruption
        case input
        case output
        case virtualMicrophone
        case call
        case recorders
        case microphone
        case volume
        case restored
        case pushToken
        case push
        case pushID
        case outcome
        case callID
        case role
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func field<Value: Decodable>(_ key: CodingKeys) throws -> Value {
            try fields.decode(Value.self, forKey: key)
        }
        func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try fields.decodeIfPresent(Value.self, forKey: key)
        }
        let kind: String = try field(.kind)
        switch kind {
        case "channelJoined": self = .channelJoined(try field(.channel), try field(.joinReason))
        case "descriptorChanged":
            self = .descriptorChanged(name: try field(.name), image: try optional(.image))
        case "applicationStarting": self = .applicationStarting
        case "applicationDetached": self = .applicationDetached
        case "channelLeft":
            self = .channelLeft(try field(.leaveReason), explanation: try optional(.explanation))
        case "serviceStatusChanged": self = .serviceStatusChanged(try field(.serviceStatus))
        case "transmissionModeChanged": self = .transmissionModeChanged(try field(.transmissionMode))
        case "accessoryEventsChanged":
            self = .accessoryEventsChanged(isEnabled: try field(.isEnabled))
        case "participantChanged": self = .participantChanged(try optional(.participant))
        case "transmissionBegan": self = .transmissionBegan(try field(.transmission))
        case "transmissionEnded":
            self = .transmissionEnded(try field(.transmission), try field(.cause), by: try field(.endedBy))
        case "transmissionRefused":
            self = .transmissionRefused(try field(.origin), try field(.refusal))
        case "timeLimitNear": self = .timeLimitNear(secondsLeft: try field(.secondsLeft))
        case "audioActivating": self = .audioActivating
        case "audioActivated": self = .audioActivated
        case "audioDeactivated": self = .audioDeactivated
        case "audioInterrupted": self = .audioInterrupted(try field(.interruption))
        case "audioInterruptionEnded": self = .audioInterruptionEnded
        case "routeChanged":
            self = .routeChanged(input: try optional(.input), output: try optional(.output))
        case "audioServerReady": self = .audioServerReady
        case "audioServerLost": self = .audioServerLost
        case "pushFinished":
            self = .pushFinished(
                try field(.pushID),
                try field(.outcome),
                explanation: try optional(.explanation)
            )
        case "stateSaved": self = .stateSaved
        case "stateNotSaved": self = .stateNotSaved(reason: try field(.explanation))
        case "virtualMicrophoneChanged": self = .virtualMicrophoneChanged(try field(.virtualMicrophone))
        case "callChanged": self = .callChanged(try optional(.call))
        case "recordersChanged": self = .recordersChanged(try field(.recorders))
        case "microphoneChanged": self = .microphoneChanged(try optional(.microphone))
        case "volumeChanged": self = .volumeChanged(try field(.volume))
        case "channelRestored": self = .channelRestored(try field(.restored), try field(.pushToken))
        case "pushReceived": self = .pushReceived(try field(.push))
        case "requestAnswered": self = .requestAnswered(try optional(.callID), try optional(.refusal))
        case "endRefused": self = .endRefused(try field(.refusal))
        case "accessoryPressed":
            self = .accessoryPressed(try field(.origin), try fields.decodePress(forKey: .role))
        case "accessoryReleased":
            self = .accessoryReleased(try field(.origin), try fields.decodePress(forKey: .role))
        case "buttonPressed": self = .buttonPressed(try field(.origin), try field(.role))
        case "buttonReleased": self = .buttonReleased(try field(.origin), try field(.role))
        default: self = .unknown(kind)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(kind, forKey: .kind)
        switch self {
        case .channelJoined(let channel, let reason):
            try fields.encode(channel, forKey: .channel)
            try fields.encode(reason, forKey: .joinReason)
        case .descriptorChanged(let name, let image):
            try fields.encode(name, forKey: .name)
            try fields.encodeIfPresent(image, forKey: .image)
        case .channelLeft(let reason, let explanation):
            try fields.encode(reason, forKey: .leaveReason)
            try fields.encodeIfPresent(explanation, forKey: .explanation)
        case .serviceStatusChanged(let status): try fields.encode(status, forKey: .serviceStatus)
        case .transmissionModeChanged(let mode): try fields.encode(mode, forKey: .transmissionMode)
        case .accessoryEventsChanged(let isEnabled): try fields.encode(isEnabled, forKey: .isEnabled)
        case .participantChanged(let participant):
            try fields.encodeIfPresent(participant, forKey: .participant)
        case .transmissionBegan(let transmission): try fields.encode(transmission, forKey: .transmission)
        case .transmissionEnded(let transmission, let cause, let source):
            try fields.encode(transmission, forKey: .transmission)
            try fields.encode(cause, forKey: .cause)
            try fields.encode(source, forKey: .endedBy)
        case .transmissionRefused(let origin, let refusal):
            try fields.encode(origin, forKey: .origin)
            try fields.encode(refusal, forKey: .refusal)
        case .timeLimitNear(let secondsLeft): try fields.encode(secondsLeft, forKey: .secondsLeft)
        case .audioInterrupted(let interruption): try fields.encode(interruption, forKey: .interruption)
        case .routeChanged(let input, let output):
            try fields.encodeIfPresent(input, forKey: .input)
            try fields.encodeIfPresent(output, forKey: .output)
        case .pushFinished(let pushID, let outcome, let explanation):
            try fields.encode(pushID, forKey: .pushID)
            try fields.encode(outcome, forKey: .outcome)
            try fields.encodeIfPresent(explanation, forKey: .explanation)
        case .stateNotSaved(let reason): try fields.encode(reason, forKey: .explanation)
        case .virtualMicrophoneChanged(let microphone):
            try fields.encode(microphone, forKey: .virtualMicrophone)
        case .callChanged(let call): try fields.encodeIfPresent(call, forKey: .call)
        case .recordersChanged(let recorders): try fields.encode(recorders, forKey: .recorders)
        case .microphoneChanged(let microphone): try fields.encodeIfPresent(microphone, forKey: .microphone)
        case .volumeChanged(let volume): try fields.encode(volume, forKey: .volume)
        case .channelRestored(let restored, let pushToken):
            try fields.encode(restored, forKey: .restored)
            try fields.encode(pushToken, forKey: .pushToken)
        case .pushReceived(let push): try fields.encode(push, forKey: .push)
        case .requestAnswered(let callID, let refusal):
            try fields.encodeIfPresent(callID, forKey: .callID)
            try fields.encodeIfPresent(refusal, forKey: .refusal)
        case .endRefused(let refusal): try fields.encode(refusal, forKey: .refusal)
        case .accessoryPressed(let origin, let role), .accessoryReleased(let origin, let role),
            .buttonPressed(let origin, let role), .buttonReleased(let origin, let role):
            try fields.encode(origin, forKey: .origin)
            try fields.encode(pressOf: role, forKey: .role)
        case .applicationStarting, .applicationDetached, .audioActivating, .audioActivated, .audioDeactivated,
            .audioInterruptionEnded, .audioServerReady, .audioServerLost, .stateSaved, .unknown:
            break
        }
    }
}

import PTTCore
import PTTMessages
import TestSupport

extension TraceWords {
    /// The event that a line tells of, or nil if it tells of something else.
    mutating func event() throws -> TalkSession.Event? {
        let word = try next()
        if let event = Self.plain[word] { return event }
        if let event = try request(word) { return event }
        switch word {
        case "disconnected": return try .clientDisconnected(values().connection())
        case "restored": return try values().restored()
        case "startFailed":
            let startID = try StartID(rawValue: number())
            return try .applicationStartFailed(startID, reason: values().reason ?? "")
        case "captureStarted": return try .captureStarted(CaptureID(rawValue: number()))
        case "captureFailed":
            let capture = try CaptureID(rawValue: number())
            return try .captureFailed(capture, values().cause ?? .microphoneLost)
        case "playbackStarted": return try .playbackStarted(PlaybackID(rawValue: number()))
        case "playbackFailed":
            let playback = try PlaybackID(rawValue: number())
            let values = try values()
            return .playbackFailed(playback, values.interruption, reason: values.reason ?? "")
        case "audioConnectionReady": return try .audioConnectionReady(values().connection())
        case "audioConnectionLost": return try .audioConnectionLost(values().connection())
        case "stateNotSaved": return try .stateNotSaved(reason: values().reason ?? "")
        case "routeChanged":
            let values = try values()
            return .routeChanged(input: values.input, output: values.output)
        case "policy": return try .policyChanged(policy())
        default: return nil
        }
    }

    private static let plain: [String: TalkSession.Event] = [
        "timerFired": .timerFired, "audioServerReady": .audioServerReady, "audioServerLost": .audioServerLost,
        "systemSuspending": .systemSuspending, "systemResumed": .systemResumed,
        "sessionLocked": .sessionLocked,
        "sessionUnlocked": .sessionUnlocked, "sessionInactive": .sessionInactive,
        "sessionActive": .sessionActive, "stateSaved": .stateSaved, "shuttingDown": .shuttingDown,
    ]

    private mutating func request(_ word: String) throws -> TalkSession.Event? {
        let known = [
            "attach", "join", "leave", "rename", "begin", "end", "foreground", "serviceStatus",
            "transmissionMode",
            "accessoryEvents", "participant", "push", "finishPush",
        ]
        guard known.contains(word) else { return nil }
        let id = try RequestID(rawValue: number())
        let values = try values()
        if word == "push" { return .pushSent(id, values.envelope) }
        return try values.request(word).map { try .request(id, from: values.connection(), $0) }
    }

    private mutating func values() throws -> TraceValues {
        var values = TraceValues()
        while !isAtEnd {
            let word = try next()
            if try !take(word, &values), try !takeFlag(word, &values), try !takePush(word, &values) {
                throw TraceWords.Failure("\(word) is not known here")
            }
        }
        return values
    }

    /// Who, and which channel.
    private mutating func take(_ word: String, _ values: inout TraceValues) throws -> Bool {
        switch word {
        case "client": values.client = try number()
        case "process": values.process = try number()
        case "channel": values.channelID = try next("UUID") { ChannelID($0) }
        case "fresh": values.fresh = try next("UUID") { ChannelID($0) }
        case "name": values.name = try next()
        case "application": values.application = try next()
        case "image": values.image = try next()
        case "descriptor": values.descriptor = try next()
        case "speaker": values.speaker = try next()
        case "reason": values.reason = try next()
        case "input": values.input = try next()
        case "output": values.output = try next()
        case "format":
            values.format = try next("format") { word in
                let numbers = word.split(separator: "/").compactMap { Int($0) }
                return numbers.count == 2 ? AudioFormat(rate: numbers[0], channels: numbers[1]) : nil
            }
        case "source": values.source = try next("source") { TransmitSource(rawValue: $0) }
        case "cause": values.cause = try next("cause") { EndCause(rawValue: $0) }
        case "interruption":
            values.interruption = try next("interruption") { Interruption(rawValue: $0) }
        case "origin":
            let kind = try next("kind of origin") { OriginKind(rawValue: $0) }
            values.origin = try Origin(kind: kind, identifier: next(), name: next())
        case "activation":
            let kind = try next("kind of activation") { Activation.Kind(rawValue: $0) }
            values.activation = try Activation(kind: kind, name: next())
        default: return false
        }
        return true
    }

    private mutating func takeFlag(_ word: String, _ values: inout TraceValues) throws -> Bool {
        switch word {
        case "background": values.isForeground = false
        case "front": values.isForeground = true
        case "true": values.flag = true
        case "false": values.flag = false
        case "enabled": values.flag = try next("flag") { Bool($0) }
        case "accessories": values.flag = try next() == "on"
        case "status": values.status = try next("service status") { ServiceStatus(rawValue: $0) }
        case "mode": values.mode = try next("mode") { TransmissionMode(rawValue: $0) }
        case "endsTransmission": values.endsTransmission = true
        case "result":
            values.result = try next("result") { ApplicationInterface.PushResult(rawValue: $0) }
        default: return false
        }
        return true
    }

    private mutating func takePush(_ word: String, _ values: inout TraceValues) throws -> Bool {
        switch word {
        case "push": values.push = try number()
        case "token": values.token = try PushToken(rawValue: next())
        case "topic": values.topic = try next()
        case "type": values.type = try next()
        case "priority": values.priority = try number()
        case "expiration": values.expiration = try number()
        case "arrived": values.arrived = try number()
        case "payload": values.payload = try String(repeating: " ", count: number())
        case "content":
            switch try next() {
            case "serviceUpdate": values.content = .readable(isServiceUpdate: true)
            case "pushToTalk": values.content = .readable(isServiceUpdate: false)
            default: values.content = try .unusable(reason: next())
            }
        default: return false
        }
        return true
    }

    private mutating func policy() throws -> Policy {
        var policy = Policy()
        while !isAtEnd {
            switch try next() {
            case "allow":
                let word = try next()
                policy.allowed =
                    (policy.allowed ?? []) + (word == "none" ? [] : [ApplicationID(rawValue: word)])
            case "deny": policy.denied.append(ApplicationID(rawValue: try next()))
            case "exclude": policy.excluded.append(ApplicationID(rawValue: try next()))
            case "closed": policy.isClosed = true
            case "unusable": policy.unusable = try next()
            case let word: throw TraceWords.Failure("\(word) is not known in a policy")
            }
        }
        return policy
    }
}

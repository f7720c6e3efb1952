import PTTCore
import PTTMessages
import TestSupport

/// What a session must decide: a ``TraceFile`` whose only setting is `limit`, the time limit.
struct Scenario: CustomStringConvertible, Sendable {
    struct Step: Sendable {
        let time: MonotonicTime
        let event: TalkSession.Event
    }

    let file: TraceFile
    let timeLimit: Duration
    let steps: [Step]
    let expected: [String]

    var description: String { file.name }

    static func all() throws -> [Scenario] {
        try DataFile.all(in: "Scenarios", beside: #filePath).map { try Scenario(TraceFile($0)) }
    }

    init(_ file: TraceFile) throws {
        self.file = file
        var timeLimit = Duration.seconds(60)
        for var words in file.settings {
            guard try words.next() == "limit" else {
                throw TraceWords.Failure("\(file.name) sets something unknown")
            }
            timeLimit = try words.time()
        }
        self.timeLimit = timeLimit
        var steps: [Step] = []
        var expected: [String] = []
        for line in file.lines {
            var words = line.words
            if let event = try words.event() {
                steps.append(Step(time: MonotonicTime(nanoseconds: 0) + line.time, event: event))
            } else {
                expected.append(line.text)
            }
        }
        self.steps = steps
        self.expected = expected
    }
}

extension TraceWords {
    mutating func event() throws -> TalkSession.Event? {
        switch try next() {
        case "join":
            let (request, values) = try (id(), self.values())
            return try .joinRequested(
                request,
                values.connection(),
                processID: values.process ?? 0,
                .init(
                    channelID: values.channelID,
                    name: values.name ?? "",
                    application: values.application,
                    format: values.format
                ),
                fresh: values.fresh ?? ChannelID(randomBytes: (0, 1))
            )
        case "leave":
            let (request, values) = try (id(), self.values())
            return try .leaveRequested(request, values.connection(), values.channelID)
        case "rename":
            let (request, values) = try (id(), self.values())
            return try .descriptorRequested(
                request,
                values.connection(),
                .init(channelID: values.channelID, name: values.name ?? "")
            )
        case "begin":
            let (request, values) = try (id(), self.values())
            guard let origin = values.origin else {
                throw TraceWords.Failure("the origin is missing")
            }
            return try .beginRequested(
                request,
                values.connection(),
                .init(channelID: values.channelID, source: values.source, origin: origin)
            )
        case "end":
            let (request, values) = try (id(), self.values())
            return try .endRequested(
                request,
                values.connection(),
                .init(channelID: values.channelID, origin: values.origin, cause: values.cause)
            )
        case "disconnected": return try .clientDisconnected(values().connection())
        case "timerFired": return .timerFired
        case "captureStarted": return try .captureStarted(CaptureID(rawValue: number()))
        case "captureFailed":
            let capture = try CaptureID(rawValue: number())
            return try .captureFailed(capture, values().cause ?? .microphoneLost)
        case "audioServerReady": return .audioServerReady
        case "audioServerLost": return .audioServerLost
        case "systemSuspending": return .systemSuspending
        case "systemResumed": return .systemResumed
        case "sessionLocked": return .sessionLocked
        case "shuttingDown": return .shuttingDown
        default: return nil
        }
    }

    private mutating func id() throws -> RequestID {
        try RequestID(rawValue: number())
    }

    /// What follows by name, in any order.
    private struct Values {
        var client: Int?
        var process: Int?
        var channelID: ChannelID?
        var fresh: ChannelID?
        var name: String?
        var application: String?
        var format: AudioFormat?
        var source = TransmitSource.handsfreeButton
        var origin: Origin?
        var cause: EndCause?

        func connection() throws -> ClientID {
            guard let client else { throw TraceWords.Failure("the client is missing") }
            return ClientID(rawValue: client)
        }
    }

    private mutating func values() throws -> Values {
        var values = Values()
        while !isAtEnd {
            switch try next() {
            case "client": values.client = try number()
            case "process": values.process = try number()
            case "channel": values.channelID = try next("UUID") { ChannelID($0) }
            case "fresh": values.fresh = try next("UUID") { ChannelID($0) }
            case "name": values.name = try next()
            case "application": values.application = try next()
            case "format":
                values.format = try next("format") { word in
                    let numbers = word.split(separator: "/").compactMap { Int($0) }
                    return numbers.count == 2 ? AudioFormat(rate: numbers[0], channels: numbers[1]) : nil
                }
            case "source": values.source = try next("source") { TransmitSource(rawValue: $0) }
            case "cause": values.cause = try next("cause") { EndCause(rawValue: $0) }
            case "origin":
                let kind = try next("kind of origin") { OriginKind(rawValue: $0) }
                values.origin = try Origin(kind: kind, identifier: next(), name: next())
            case let word: throw TraceWords.Failure("\(word) is not known here")
            }
        }
        return values
    }
}

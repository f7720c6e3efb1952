import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Varlink

/// An application on its two connections, without anything that a library does for it.
@EventLoop
final class AttachedApplication {
    let attachment: ApplicationInterface.Attachment
    /// What it is told, in order.
    let events: AsyncQueue<CoreEvent>
    /// The second connection.
    let calls: CoreClient
    /// Told when the connection that it is told things on has ended, whoever ended it.
    let ended: AsyncQueue<Void>
    private let told: VarlinkClient

    /// Attaches and makes the second connection that of the application.
    static func attach(
        to core: CoreFixture,
        _ identifier: String = "org.example.App",
        activation: Activation? = nil,
        isForeground: Bool? = true
    ) async throws -> AttachedApplication {
        let application = try await AttachedApplication(
            to: core,
            ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: identifier),
                name: "App",
                activation: activation,
                isForeground: isForeground
            )
        )
        try await application.calls.application(
            "UseAttachment",
            ApplicationInterface.UseAttachmentRequest(callToken: application.attachment.callToken)
        )
        return application
    }

    private init(to core: CoreFixture, _ request: ApplicationInterface.AttachRequest) async throws {
        let first = AsyncQueue(of: Result<ApplicationInterface.Attachment, VarlinkCallError>.self)
        let events = AsyncQueue(of: CoreEvent.self)
        let ended = AsyncQueue(of: Void.self)
        told = try core.connect().client
        told.onClose = { _ in ended.add(()) }
        told.subscribe("\(ApplicationInterface.name).Attach", try JSONObject(encoding: request)) {
            answer,
            _ in
            switch answer {
            case .success(let parameters):
                guard let update = try? parameters.decode(ApplicationInterface.Update.self) else { return }
                if let attachment = update.attachment { first.add(.success(attachment)) }
                if let event = update.event { events.add(event) }
            case .failure(let error):
                first.add(.failure(error))
            }
        }
        attachment = try await first.next().get()
        calls = try core.connect()
        self.events = events
        self.ended = ended
    }

    /// As a process that dies.
    func die() {
        told.close()
        calls.close()
    }

    /// Ends the connection that it is told things on, and no other.
    func closeTold() { told.close() }

    /// The next events, without the answers to requests and without news of the sound server and its devices.
    func next(_ count: Int) async throws -> [CoreEvent] {
        var found: [CoreEvent] = []
        while found.count < count {
            switch try await events.next() {
            case .requestAnswered, .audioServerReady, .routeChanged: break
            case let event: found.append(event)
            }
        }
        return found
    }

    func join(_ channelID: ChannelID, image: String? = nil) async throws -> ChannelInterface.JoinReply {
        try await calls.call(
            "Join",
            ChannelInterface.JoinRequest(channelID: channelID, name: "Hikers", application: nil, image: image)
        )
    }

    /// Somebody talks at the other end, or nobody.
    func hear(_ name: String?, image: String? = nil) async throws {
        let speaker = name.map { ApplicationInterface.Speaker(name: $0, image: image) }
        try await calls.application(
            "SetActiveRemoteParticipant",
            ApplicationInterface.ParticipantRequest(channelID: nil, participant: speaker)
        )
    }

    func finish(
        _ pushID: PushID,
        _ result: ApplicationInterface.PushResult,
        by speaker: String? = nil,
        endsTransmission: Bool = false
    ) async throws {
        try await calls.application(
            "FinishPush",
            ApplicationInterface.FinishPushRequest(
                pushID: pushID,
                result: result,
                participant: speaker.map { ApplicationInterface.Speaker(name: $0) },
                endsTransmission: endsTransmission
            )
        )
    }
}

extension CoreClient {
    /// A method of `org.pushtotalk.Application`.
    func application(_ method: String, _ parameters: some Encodable) async throws {
        _ = try await client.call(
            "\(ApplicationInterface.name).\(method)",
            try JSONObject(encoding: parameters)
        )
    }

    func push(_ request: PushInterface.SendRequest) async throws -> PushID {
        let answer = try await client.call("\(PushInterface.name).Send", try JSONObject(encoding: request))
        return try answer.decode(PushInterface.SendReply.self).pushID
    }

    func image(_ imageID: String) async throws -> String {
        try await call(
            "GetImage",
            ChannelInterface.ImageRequest(imageID: imageID),
            ChannelInterface.ImageReply.self
        )
        .image
    }
}

extension ChannelID {
    static let hikers = ChannelID(randomBytes: (1, 1))
    static let other = ChannelID(randomBytes: (2, 2))
}

extension CoreEvent {
    /// The reason, if it is that a channel was joined.
    var joinReason: JoinReason? {
        if case .channelJoined(_, let reason) = self { return reason }
        return nil
    }
}

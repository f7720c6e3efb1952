import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Varlink

/// An application on its two connections, without the library.
@EventLoop
final class AttachedApplication {
    let attachment: ApplicationInterface.Attachment
    /// The events that it has received, in order.
    let events: AsyncQueue<CoreEvent>
    /// The second connection.
    let calls: CoreClient
    /// Receives an element when the connection of its events has closed, from either side.
    let ended: AsyncQueue<Void>
    private let eventClient: VarlinkClient

    /// Attaches and makes the second connection that of the application.
    static func attach(
        to core: CoreFixture,
        _ identifier: String = "org.example.App",
        activation: Activation? = nil,
        isForeground: Bool? = true,
        kinds: [String]? = nil
    ) async throws -> AttachedApplication {
        let application = try await AttachedApplication(
            to: core,
            ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: identifier),
                name: "App",
                activation: activation,
                isForeground: isForeground,
                kinds: kinds
            )
        )
        try await application.calls.call(
            ApplicationInterface.useAttachment,
            ApplicationInterface.UseAttachmentRequest(callToken: application.attachment.callToken)
        )
        return application
    }

    private init(to core: CoreFixture, _ request: ApplicationInterface.AttachRequest) async throws {
        let first = AsyncQueue(of: Result<ApplicationInterface.Attachment, VarlinkCallError>.self)
        let events = AsyncQueue(of: CoreEvent.self)
        let ended = AsyncQueue(of: Void.self)
        eventClient = try core.connect().client
        eventClient.onClose = { _ in ended.add(()) }
        eventClient.subscribe(ApplicationInterface.attach.qualifiedName, .encoding(request)) {
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

    /// Closes as a process that dies does.
    func die() {
        eventClient.close()
        calls.close()
    }

    /// Closes the connection of its events only.
    func closeTold() { eventClient.close() }

    /// The next events, except results of requests and events of the sound server and its devices.
    func next(_ count: Int) async throws -> [CoreEvent] {
        var found: [CoreEvent] = []
        while found.count < count {
            switch try await events.next() {
            case .requestAnswered, .audioServerReady, .routeChanged, .virtualMicrophoneChanged: break
            case let event: found.append(event)
            }
        }
        return found
    }

    func join(_ channelID: ChannelID, image: String? = nil) async throws -> ChannelInterface.JoinReply {
        try await calls.call(
            ChannelInterface.join,
            ChannelInterface.JoinRequest(channelID: channelID, name: "Hikers", application: nil, image: image)
        )
    }

    /// A participant talks at the other end, or none.
    func setParticipant(_ name: String?, image: String? = nil) async throws {
        let speaker = name.map { ApplicationInterface.Speaker(name: $0, image: image) }
        try await calls.call(
            ApplicationInterface.setActiveRemoteParticipant,
            ApplicationInterface.ParticipantRequest(channelID: nil, participant: speaker)
        )
    }

    func finish(
        _ pushID: PushID,
        _ result: ApplicationInterface.PushResult,
        by speaker: String? = nil,
        endsTransmission: Bool = false
    ) async throws {
        try await calls.call(
            ApplicationInterface.finishPush,
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
    func push(_ request: PushInterface.SendRequest) async throws -> PushID {
        try await call(PushInterface.send, request).pushID
    }

    func image(_ imageID: String) async throws -> String {
        try await call(ChannelInterface.getImage, ChannelInterface.ImageRequest(imageID: imageID)).image
    }
}

extension ChannelID {
    static let hikers = ChannelID(randomBytes: (1, 1))
    static let other = ChannelID(randomBytes: (2, 2))
}

extension CoreEvent {
    /// The reason of a `channelJoined`.
    var joinReason: JoinReason? {
        if case .channelJoined(_, let reason) = self { return reason }
        return nil
    }
}

import EventLoop
public import Foundation
import PTTMessages
public import PTTPlatformTypes

extension PTChannelManager {
    /// Tells who talks at the other end, or with nil that nobody does any more.
    ///
    /// The audio session is activated for a participant, and `didActivate` told, unless it is active already. While
    /// somebody talks a half-duplex channel cannot transmit. Nothing but nil takes the participant away again: there is
    /// no time limit. Unlike on iOS it succeeds in the background too, and never without activation: without an audio
    /// server it fails.
    ///
    /// - Parameters:
    ///   - participant: Who talks.
    ///   - channelUUID: The channel that is joined.
    ///   - completionHandler: Called once on the callback queue, with a ``PTChannelError`` if it was refused:
    ///     `transmissionInProgress` while a half-duplex channel transmits, `transmissionNotFound` for nil with nobody
    ///     set, `channelNotFound`.
    public func setActiveRemoteParticipant(
        _ participant: PTParticipant?,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let request = ApplicationInterface.ParticipantRequest(
            channelID: ChannelID(channelUUID),
            participant: participant.map { .init(name: $0.name, image: $0.imageText) }
        )
        call(ApplicationInterface.setActiveRemoteParticipant, request, completion: completionHandler) {
            $0.view.awaitsNoParticipant()
        }
    }

    /// As ``setActiveRemoteParticipant(_:channelUUID:completionHandler:)``.
    public func setActiveRemoteParticipant(_ participant: PTParticipant?, channelUUID: UUID) async throws {
        try await completed {
            setActiveRemoteParticipant(participant, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Changes what people see of the channel, without leaving it.
    public func setChannelDescriptor(
        _ channelDescriptor: PTChannelDescriptor,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let request = ChannelInterface.DescriptorRequest(
            channelID: ChannelID(channelUUID),
            name: channelDescriptor.name,
            image: channelDescriptor.imageText
        )
        call(ChannelInterface.setDescriptor, request, completion: completionHandler)
    }

    /// As ``setChannelDescriptor(_:channelUUID:completionHandler:)``.
    public func setChannelDescriptor(_ channelDescriptor: PTChannelDescriptor, channelUUID: UUID) async throws
    {
        try await completed {
            setChannelDescriptor(channelDescriptor, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Tells whether the application's service can be used; `ready` after joining. While it cannot, no transmission
    /// begins, and `failedToBegin…` says `transmissionNotAllowed`; one that goes on is not ended. Apple says only that
    /// the system keeps people from talking.
    public func setServiceStatus(
        _ status: PTServiceStatus,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let word = status.wireValue else {
            return refuse("\(status) stands for nothing", completionHandler)
        }
        let request = ApplicationInterface.ServiceStatusRequest(
            channelID: ChannelID(channelUUID),
            status: word
        )
        call(ApplicationInterface.setServiceStatus, request, completion: completionHandler)
    }

    /// As ``setServiceStatus(_:channelUUID:completionHandler:)``.
    public func setServiceStatus(_ status: PTServiceStatus, channelUUID: UUID) async throws {
        try await completed { setServiceStatus(status, channelUUID: channelUUID, completionHandler: $0) }
    }

    /// Tells who may talk when; `halfDuplex` after joining. A transmission that the new mode does not allow ends, told
    /// with the source `unknown`; Apple does not say what happens to it.
    public func setTransmissionMode(
        _ transmissionMode: PTTransmissionMode,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let word = transmissionMode.wireValue else {
            return refuse("\(transmissionMode) stands for nothing", completionHandler)
        }
        let request = ApplicationInterface.TransmissionModeRequest(
            channelID: ChannelID(channelUUID),
            mode: word
        )
        call(ApplicationInterface.setTransmissionMode, request, completion: completionHandler)
    }

    /// As ``setTransmissionMode(_:channelUUID:completionHandler:)``.
    public func setTransmissionMode(_ transmissionMode: PTTransmissionMode, channelUUID: UUID) async throws {
        try await completed {
            setTransmissionMode(transmissionMode, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Tells whether buttons of accessories begin and end transmissions; they do after joining. A press that comes while
    /// they do not is refused, and told to a delegate that is a ``PTTAccessoryDelegate``; it lets an application in the
    /// background begin once within three seconds.
    public func setAccessoryButtonEventsEnabled(
        _ enabled: Bool,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let request = ApplicationInterface.AccessoryEventsRequest(
            channelID: ChannelID(channelUUID),
            isEnabled: enabled
        )
        call(ApplicationInterface.setAccessoryEventsEnabled, request, completion: completionHandler)
    }

    /// As ``setAccessoryButtonEventsEnabled(_:channelUUID:completionHandler:)``.
    public func setAccessoryButtonEventsEnabled(_ enabled: Bool, channelUUID: UUID) async throws {
        try await completed {
            setAccessoryButtonEventsEnabled(enabled, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    private func call<Request>(
        _ method: InterfaceMethod<Request, NoParameters>,
        _ request: Request,
        completion completionHandler: (@Sendable ((any Error)?) -> Void)?,
        succeeded: @escaping @EventLoop (Attachment) -> Void = { _ in }
    ) {
        onAttachment { attachment in
            attachment.call(method, request) { refusal in
                if refusal == nil { succeeded(attachment) }
                guard let completionHandler else { return }
                let error = refusal.map { PTChannelError($0) }
                attachment.callbackQueue.enqueue(.perform { completionHandler(error) })
            }
        }
    }

    /// Tells that nothing was asked of the core, in its turn among the callbacks.
    private func refuse(_ reason: String, _ completionHandler: (@Sendable ((any Error)?) -> Void)?) {
        guard let completionHandler else { return }
        callbackQueue.enqueue(.perform { completionHandler(PTChannelError(Refusal(.unknown, reason))) })
    }

    private func completed(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            body { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }
}

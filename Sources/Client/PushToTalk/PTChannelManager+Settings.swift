import EventLoop
public import Foundation
import PTTMessages
public import PTTPlatformTypes

extension PTChannelManager {
    /// Sets the remote participant who talks, or nil when nobody talks any more.
    ///
    /// The system activates the audio session for a participant and calls `didActivate`, unless the session
    /// is active. A half-duplex channel cannot transmit while a participant is set. The participant stays set
    /// until it is set to nil: there is no time limit.
    ///
    /// Unlike on iOS, this succeeds in the background too, and success means that the session is or will be
    /// active: without an audio server it fails.
    ///
    /// - Parameters:
    ///   - participant: The participant, or nil.
    ///   - channelUUID: The joined channel.
    ///   - completionHandler: Called once on the callback queue, with nil or with a ``PTChannelError``:
    ///     `transmissionInProgress` while a half-duplex channel transmits, `transmissionNotFound` for nil if
    ///     no participant is set, `channelNotFound` for another channel, `unknown` if nothing can be played.
    public func setActiveRemoteParticipant(
        _ participant: PTParticipant?,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let request = ApplicationInterface.ParticipantRequest(
            channelID: ChannelID(channelUUID),
            participant: participant.map { .init(name: $0.name, image: $0.image?.base64) }
        )
        if participant == nil { onAttachment { $0.participantClearings += 1 } }
        call(ApplicationInterface.setActiveRemoteParticipant, request, completion: completionHandler)
    }

    /// The asynchronous form of ``setActiveRemoteParticipant(_:channelUUID:completionHandler:)``.
    ///
    /// - Throws: ``PTChannelError``
    public func setActiveRemoteParticipant(_ participant: PTParticipant?, channelUUID: UUID) async throws {
        try await completed {
            setActiveRemoteParticipant(participant, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Changes the name and the image of the channel without leaving it.
    ///
    /// - Parameters:
    ///   - channelDescriptor: The new name and image.
    ///   - channelUUID: The joined channel.
    ///   - completionHandler: Called once on the callback queue, with nil or with a ``PTChannelError``.
    public func setChannelDescriptor(
        _ channelDescriptor: PTChannelDescriptor,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let request = ChannelInterface.DescriptorRequest(
            channelID: ChannelID(channelUUID),
            name: channelDescriptor.name,
            image: channelDescriptor.image?.base64
        )
        call(ChannelInterface.setDescriptor, request, completion: completionHandler)
    }

    /// The asynchronous form of ``setChannelDescriptor(_:channelUUID:completionHandler:)``.
    ///
    /// - Throws: ``PTChannelError``
    public func setChannelDescriptor(_ channelDescriptor: PTChannelDescriptor, channelUUID: UUID) async throws
    {
        try await completed {
            setChannelDescriptor(channelDescriptor, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Sets whether the application's service can be used.
    ///
    /// While the status is not `ready`, no transmission can begin: a request fails with
    /// `transmissionNotAllowed`. A transmission that has begun goes on. Apple documents only that the system
    /// prevents people from talking.
    ///
    /// - Parameters:
    ///   - status: `ready` after each join and restoration, until it is set.
    ///   - channelUUID: The joined channel.
    ///   - completionHandler: Called once on the callback queue, with nil or with a ``PTChannelError``.
    public func setServiceStatus(
        _ status: PTServiceStatus,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let status = status.wireValue else {
            return refuse("\(status) has no meaning", completionHandler)
        }
        let request = ApplicationInterface.ServiceStatusRequest(
            channelID: ChannelID(channelUUID),
            status: status
        )
        call(ApplicationInterface.setServiceStatus, request, completion: completionHandler)
    }

    /// The asynchronous form of ``setServiceStatus(_:channelUUID:completionHandler:)``.
    ///
    /// - Throws: ``PTChannelError``
    public func setServiceStatus(_ status: PTServiceStatus, channelUUID: UUID) async throws {
        try await completed { setServiceStatus(status, channelUUID: channelUUID, completionHandler: $0) }
    }

    /// Sets whether the channel can transmit and receive, and whether at the same time.
    ///
    /// A transmission that the new mode does not allow ends with the source `unknown`. Apple does not
    /// document what happens to it.
    ///
    /// - Parameters:
    ///   - transmissionMode: `halfDuplex` after each join, until it is set. A restoration keeps it.
    ///   - channelUUID: The joined channel.
    ///   - completionHandler: Called once on the callback queue, with nil or with a ``PTChannelError``.
    public func setTransmissionMode(
        _ transmissionMode: PTTransmissionMode,
        channelUUID: UUID,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let mode = transmissionMode.wireValue else {
            return refuse("\(transmissionMode) has no meaning", completionHandler)
        }
        let request = ApplicationInterface.TransmissionModeRequest(
            channelID: ChannelID(channelUUID),
            mode: mode
        )
        call(ApplicationInterface.setTransmissionMode, request, completion: completionHandler)
    }

    /// The asynchronous form of ``setTransmissionMode(_:channelUUID:completionHandler:)``.
    ///
    /// - Throws: ``PTChannelError``
    public func setTransmissionMode(_ transmissionMode: PTTransmissionMode, channelUUID: UUID) async throws {
        try await completed {
            setTransmissionMode(transmissionMode, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    /// Sets whether the buttons of accessories begin and end transmissions.
    ///
    /// While they do not, a delegate that conforms to ``PTTAccessoryDelegate`` is notified of each press, and
    /// an application in the background can begin one transmission within three seconds after it.
    ///
    /// - Parameters:
    ///   - enabled: True after each join, until it is set. A restoration keeps it.
    ///   - channelUUID: The joined channel.
    ///   - completionHandler: Called once on the callback queue, with nil or with a ``PTChannelError``.
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

    /// The asynchronous form of ``setAccessoryButtonEventsEnabled(_:channelUUID:completionHandler:)``.
    ///
    /// - Throws: ``PTChannelError``
    public func setAccessoryButtonEventsEnabled(_ enabled: Bool, channelUUID: UUID) async throws {
        try await completed {
            setAccessoryButtonEventsEnabled(enabled, channelUUID: channelUUID, completionHandler: $0)
        }
    }

    private func call<Request>(
        _ method: InterfaceMethod<Request, NoParameters>,
        _ request: Request,
        completion completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) {
        onAttachment { attachment in
            attachment.call(method, request) { refusal in
                guard let completionHandler else { return }
                let error = refusal.map { PTChannelError($0) }
                attachment.callbackQueue.complete { completionHandler(error) }
            }
        }
    }

    /// Fails a call that cannot be sent to the core, in order with the callbacks.
    private func refuse(_ reason: String, _ completionHandler: (@Sendable ((any Error)?) -> Void)?) {
        guard let completionHandler else { return }
        callbackQueue.complete { completionHandler(PTChannelError(Refusal(.unknown, reason))) }
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

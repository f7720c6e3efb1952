import EventLoop
import Foundation
import PTTMessages
import ServiceClient

/// The application's attachment to the core: makes it, makes it again after a loss, and turns the core's
/// events into callbacks.
///
/// One connection carries the events, in order; calls go over another. An event reports the result of each
/// call too, so that completions and callbacks come in the order in which things happened.
@EventLoop
final class Attachment {
    /// Receives the result of a call; nil if the core carried it out.
    typealias Completion = @EventLoop (Refusal?) -> Void

    private let manifest: Manifest
    let callbackQueue: CallbackQueue
    let audio: AudioHub
    /// The value that the application has set; nil until it sets one.
    private var isForeground: Bool?
    /// The core's assumption while the application has set none. The core loses it with the connection, so
    /// that the next `Attach` repeats it.
    var assumedForeground: Bool?
    private(set) var events: ServiceConnection?
    private var calls: ServiceConnection?
    var audioSocket: AudioSocketClient?
    var audioAccess: AudioAccess?
    lazy var audioRetry = TimerSource { [weak self] in self?.openAudio() }
    private var unanswered: [CallID: Completion] = [:]
    /// True while it is attached, or attaches as soon as the core listens. If the core has refused the
    /// application, or was absent when the manager was requested, it is false until the application requests
    /// its manager again.
    private var isActive = false
    var view = ChannelView.notJoined
    /// The pushes that the application has not answered.
    var pushes: [PushID: DeliveredPush] = [:]
    /// The number of times the application has set no participant: that one from an earlier push was cleared
    /// before the speaker was open is then no failure.
    var participantClearings = 0
    /// Ends the transmission if the push that the stop belongs to is not answered in time.
    var scheduledStop: TimerSource?
    /// As the application was notified; nil before the first audio server, which is no news to it.
    var isAudioServerReady: Bool?
    private lazy var reconnector = Reconnector(
        to: .core,
        connect: { [weak self] () throws(ServiceError) in try self?.connect() },
        unreachable: { [weak self] in self?.failCreation(PTInstantiationError(refusal: $0)) }
    )
    /// Called once, with nil after the first attachment or with the reason why there is none.
    private var creationHandler: (@Sendable (PTInstantiationError?) -> Void)?

    nonisolated init(of manifest: Manifest, callbackQueue: CallbackQueue, audio: AudioHub) {
        self.manifest = manifest
        self.callbackQueue = callbackQueue
        self.audio = audio
    }

    /// Attaches. `created` is called once, in order with the callbacks.
    func start(created: @escaping @Sendable (PTInstantiationError?) -> Void) {
        creationHandler = created
        isActive = true
        reconnector.handle(.started)
    }

    /// Attaches if the attachment is not active; otherwise only calls `created`, in order with the callbacks.
    /// It has an error while an earlier request waits for its result.
    func resume(created: @escaping @Sendable (PTInstantiationError?) -> Void) {
        guard isActive else { return start(created: created) }
        let error = creationHandler.map { _ in PTInstantiationError.inProgress }
        callbackQueue.complete { created(error) }
    }

    /// Ends the attachment. The channel stays joined, for the application's next start.
    func close() {
        isActive = false
        reconnector.handle(.stopped)
        disconnect()
    }

    // MARK: Connecting

    private func connect() throws(ServiceError) {
        let events = try ServiceConnection.core()
        self.events = events
        let request = ApplicationInterface.AttachRequest(
            identifier: ApplicationID(rawValue: manifest.identifier),
            name: manifest.name,
            activation: manifest.activation,
            isForeground: isForeground ?? assumedForeground,
            kinds: Self.kinds
        )
        events.attach(
            request,
            { [weak self] in self?.handle($0) },
            ended: { [weak self] in self?.ended($0) }
        )
    }

    private func handle(_ update: ApplicationInterface.Update) {
        if let attachment = update.attachment { attached(attachment) }
        if let event = update.event { handle(event) }
    }

    private func attached(_ attachment: ApplicationInterface.Attachment) {
        do throws(ServiceError) {
            let calls = try ServiceConnection.core()
            self.calls = calls
            calls.onClose = { [weak self] in self?.ended($0) }
            calls.useAttachment(attachment.callToken) { [weak self] result in
                if case .failure(let error) = result { self?.ended(error) }
            }
        } catch {
            return ended(error)
        }
        reconnector.handle(.answered)
        audioAccess = AudioAccess(token: attachment.audioToken)
        openAudio()
        if let isForeground {
            // The application has changed it since `Attach` was sent.
            if isForeground != attachment.isForeground { setForeground(isForeground) }
        } else {
            assumedForeground = attachment.isForeground
        }
        audio.attached(self)
        // A core that has just started connects to its audio server a moment later: that is no loss.
        if isAudioServerReady == true { isAudioServerReady = nil }
        updateAudioServer(isReady: attachment.isAudioServerReady)
        deliver(view.attached(attachment))
        if let restored = attachment.restored, restored.needsDescriptor {
            requestDescriptor(restored.channelID)
        }
    }

    /// The application receives its manager with the first token.
    func completeCreation() {
        if let created = takeCreationHandler() { callbackQueue.complete { created(nil) } }
    }

    /// Requests the channel's descriptor from the application: the core has lost its own copy.
    func requestDescriptor(_ channelID: ChannelID) {
        callbackQueue.requestDescriptor(channelID.uuid) { [weak self] descriptor in
            EventLoop.start { [weak self] in
                guard let self else { return }
                let request = ChannelInterface.DescriptorRequest(
                    channelID: channelID,
                    name: descriptor.name,
                    image: descriptor.image?.base64
                )
                call(ChannelInterface.setDescriptor, request) { _ in }
            }
        }
    }

    // MARK: Losing the core

    private func ended(_ error: ServiceError) {
        guard events != nil, !failCreation(PTInstantiationError(refusal: error)) else { return }
        lose()
        guard case .refused(let refusal) = error, refusal.code == .deviceManagementRestriction else {
            return  // A core that is about to end refuses for other reasons, and the next core does not.
        }
        close()
        deliver(view.left(.systemPolicy))
    }

    /// Reports that there is no manager, if the application waits for one.
    ///
    /// - Returns: True if it does.
    @discardableResult
    private func failCreation(_ error: PTInstantiationError) -> Bool {
        guard let created = takeCreationHandler() else { return false }
        close()
        callbackQueue.complete { created(error) }
        return true
    }

    /// Connects again after a delay.
    func lose() {
        disconnect()
        audio.coreLost()
        deliver(view.lost())
        reconnector.handle(.lost)
    }

    private func disconnect() {
        let connections = [events, calls]
        // First, because closing fails the pending calls, whose handlers use these properties.
        events = nil
        calls = nil
        withdrawPushes()
        audio.detached(self)
        closeAudio()
        let failed = unanswered.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
        unanswered = [:]
        for connection in connections { connection?.close() }
        for completion in failed { completion(.lost) }
    }

    private func takeCreationHandler() -> (@Sendable (PTInstantiationError?) -> Void)? {
        defer { creationHandler = nil }
        return creationHandler
    }

    // MARK: Calls

    /// Calls that may be pending. Further calls are refused here: the core closes a connection that sends
    /// more than it accepts, which would end a transmission.
    private static let unansweredLimit = 128

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - method: Any that has a `callID` among its parameters.
    ///   - request: The other parameters.
    ///   - ignoresLimit: The call is made however many others are pending: it ends something, or nothing
    ///     reports its refusal.
    ///   - onReply: Called with the core's reply, before `completion`.
    ///   - completion: Called once, when the event that reports the result comes.
    func call<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ request: Request,
        ignoringLimit ignoresLimit: Bool = false,
        onReply: @escaping @EventLoop (Reply) -> Void = { _ in },
        completion: @escaping Completion
    ) {
        guard let calls, let callID = calls.nextCallID else {
            return completion(Refusal(.unknown, "pttd is not connected: is it running?"))
        }
        guard ignoresLimit || unanswered.count < Self.unansweredLimit else {
            let reason = "\(Self.unansweredLimit) requests wait for pttd: try again when they are answered"
            return completion(Refusal(.unknown, reason))
        }
        unanswered[callID] = completion
        calls.call(method, request) { [weak self] result in
            switch result {
            case .success(let reply): onReply(reply)
            case .failure(.failed(_, let reason)): self?.answered(callID, Refusal(.unknown, reason))
            // An event reports a refusal, and the end of the connection its loss.
            case .failure(.refused), .failure(.rejected), .failure(.unreachable), .failure(.lost): break
            }
        }
    }

    func answered(_ callID: CallID, _ refusal: Refusal?) {
        unanswered.removeValue(forKey: callID)?(refusal)
    }

    func setForeground(_ isForeground: Bool) {
        self.isForeground = isForeground
        guard calls != nil else { return }
        let request = ApplicationInterface.ForegroundRequest(isForeground: isForeground)
        // The core refuses it only when it is about to end.
        call(ApplicationInterface.setForeground, request, ignoringLimit: true) { _ in }
    }

    func join(_ channelID: ChannelID, _ request: ChannelInterface.JoinRequest) {
        call(ChannelInterface.join, request) { [callbackQueue] reply in
            if let token = reply.pushToken { callbackQueue.enqueue(.token(token)) }
        } completion: { [self] refusal in
            report(refusal) { .failedToJoin(channelID.uuid, $0) }
            if refusal == nil { view.granted(channelID) }
        }
    }

    /// Enqueues the callback for a refusal, if there is one.
    func report(_ refusal: Refusal?, as callback: (PTChannelError) -> Callback) {
        guard let refusal else { return }
        callbackQueue.enqueue(callback(PTChannelError(refusal)))
    }
}

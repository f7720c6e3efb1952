import EventLoop
import Foundation
import PTTMessages
import ServiceClient

/// The application's side of the core: attaches, keeps attached, and turns what it is told into callbacks.
///
/// One connection carries all that is told, in order; calls go over another. The core tells, among the events, when it
/// has carried out a call, so that completions and callbacks come in the order in which things happened.
@EventLoop
final class Attachment {
    /// A call that the core has not answered yet.
    typealias Completion = @EventLoop (Refusal?) -> Void

    private let manifest: Manifest
    let callbackQueue: CallbackQueue
    let audio: AudioHub
    /// What the application says of itself; nil until it says something.
    private var isForeground: Bool?
    /// What `Attach` said of it.
    private var reportedForeground: Bool?
    /// What it counts as while it says nothing. The core forgets that with the connection, or with its own end.
    var assumedForeground: Bool?
    private(set) var events: ServiceConnection?
    private var calls: ServiceConnection?
    var audioSocket: AudioSocketClient?
    var audioAccess: AudioAccess?
    lazy var audioRetry = TimerSource { [weak self] in self?.openAudio() }
    private var unanswered: [CallID: Completion] = [:]
    private var lifecycle = Lifecycle.paused
    var view = ChannelView.notJoined
    /// Those that the application has not answered.
    var pushes: [PushID: DeliveredPush] = [:]
    /// Waits for the answer to a push.
    var scheduledStop: TimerSource?
    /// As far as the application was told.
    var audioServer = AudioServerView.unknown

    // Finding the core again.
    private var attempt = 0
    private var backOff = BackOff()
    private var watch: DirectoryWatch?
    private lazy var retry = TimerSource { [weak self] in self?.connect() }
    /// Told once of the first attachment, or of why there is none.
    private var creation: (@Sendable (PTInstantiationError?) -> Void)?

    /// Whether the core is looked for.
    private enum Lifecycle {
        case active
        /// Not let in, or not there: until the application asks for its manager.
        case paused
        /// The manager has gone.
        case closed
    }

    enum AudioServerView {
        case unknown
        case ready
        case lost
    }

    /// So many attempts to reach a socket that nobody listens on; then only a new socket wakes us up.
    private static let attempts = 8

    nonisolated init(_ manifest: Manifest, _ callbackQueue: CallbackQueue, _ audio: AudioHub) {
        self.manifest = manifest
        self.callbackQueue = callbackQueue
        self.audio = audio
    }

    /// Attaches. `created` is called once, in its place among the callbacks.
    func start(created: @escaping @Sendable (PTInstantiationError?) -> Void) {
        creation = created
        lifecycle = .active
        connect()
    }

    /// As ``start(created:)``, if that has come to nothing or the core has not let the application in again.
    func resume(created: @escaping @Sendable (PTInstantiationError?) -> Void) {
        switch lifecycle {
        case .paused: start(created: created)
        case .active, .closed: callbackQueue.enqueue(.perform { created(nil) })
        }
    }

    /// Goes for good: the channel stays joined, for the application to come back to.
    func close() {
        stop(.closed)
    }

    private func stop(_ lifecycle: Lifecycle) {
        self.lifecycle = lifecycle
        retry.disarm()
        watch = nil
        disconnect()
    }

    // MARK: Connecting

    private func connect() {
        guard lifecycle == .active, events == nil else { return }
        retry.disarm()
        do throws(ServiceError) {
            let events = try ServiceConnection.core()
            self.events = events
            reportedForeground = isForeground
            let request = ApplicationInterface.AttachRequest(
                identifier: ApplicationID(rawValue: manifest.identifier),
                name: manifest.name,
                activation: manifest.activation,
                isForeground: isForeground ?? assumedForeground
            )
            events.attach(
                request,
                { [weak self] in self?.handle($0) },
                ended: { [weak self] in self?.ended($0) }
            )
        } catch {
            unreachable(error)
        }
    }

    private func handle(_ update: ApplicationInterface.Update) {
        if let attachment = update.attachment { attached(attachment) }
        if let event = update.event { handle(event, at: MonotonicTime(microseconds: update.time)) }
    }

    private func attached(_ attachment: ApplicationInterface.Attachment) {
        do {
            let calls = try ServiceConnection.core()
            self.calls = calls
            calls.onClose = { [weak self] in self?.ended($0) }
            calls.useAttachment(attachment.callToken) { [weak self] result in
                if case .failure(let error) = result { self?.ended(error) }
            }
        } catch {
            return lose("\(error)")
        }
        attempt = 0
        backOff.reset()
        watch = nil
        if isForeground == nil { assumedForeground = attachment.isForeground }
        audioAccess = AudioAccess(token: attachment.audioToken)
        openAudio()
        // What was said after `Attach` was sent.
        if let isForeground, isForeground != reportedForeground { setForeground(isForeground) }
        audio.attached(attachment.format, self)
        // A core that has just started may find its audio server in a moment.
        if audioServer == .ready { audioServer = .unknown }
        updateAudioServer(isReady: attachment.isAudioServerReady)
        deliver(view.attached(attachment))
        if let restored = attachment.restored, restored.needsDescriptor {
            askForDescriptor(restored.channelID)
        }
    }

    /// The manager comes with its first token.
    func completeCreation() {
        if let created = takeCreationHandler() { callbackQueue.enqueue(.perform { created(nil) }) }
    }

    /// The core has lost what people see of the channel; the application says it again.
    func askForDescriptor(_ channelID: ChannelID) {
        callbackQueue.askForDescriptor(channelID.uuid) { [weak self] descriptor in
            EventLoop.start { [weak self] in
                guard let self else { return }
                let request = ChannelInterface.DescriptorRequest(
                    channelID: channelID,
                    name: descriptor.name,
                    image: descriptor.imageText
                )
                call({ $0.setDescriptor(request, then: $1) }, completion: { _ in })
            }
        }
    }

    // MARK: Losing and finding the core

    private func ended(_ error: ServiceError) {
        guard events != nil else { return }
        if let created = takeCreationHandler() {
            stop(.paused)
            callbackQueue.enqueue(.perform { created(PTInstantiationError(refusal: error)) })
            return
        }
        lose("\(error)")
        guard case .refused(let refusal) = error, refusal.code == .deviceManagementRestriction else {
            return  // A core that is about to end refuses too, and the next one does not.
        }
        stop(.paused)
        deliver(view.left(.systemPolicy))
    }

    private func unreachable(_ error: ServiceError) {
        if let created = takeCreationHandler() {
            stop(.paused)
            let failure = PTInstantiationError(.invalidPlatform, reason: "\(error)")
            callbackQueue.enqueue(.perform { created(failure) })
            return
        }
        attempt += 1
        if attempt < Self.attempts || !watchForSocket() { retry.arm(after: backOff.next()) }
    }

    func lose(_ reason: String) {
        disconnect()
        attempt = 0
        deliver(view.lost())
        guard lifecycle == .active else { return }
        retry.arm(after: backOff.next())
    }

    private func disconnect() {
        let connections = [events, calls]
        // First, because closing fails the calls that wait, and their answers come here.
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

    /// Waits for a new socket without waking up. - Returns: Whether that works.
    private func watchForSocket() -> Bool {
        if watch != nil { return true }
        do {
            watch = try DirectoryWatch(try RuntimeSocket.directory()) { [weak self] name in
                guard name == RuntimeSocket.core.rawValue else { return }
                self?.attempt = 0
                self?.backOff.reset()
                self?.connect()
            }
            return true
        } catch {
            return false  // Looked for every few seconds then.
        }
    }

    private func takeCreationHandler() -> (@Sendable (PTInstantiationError?) -> Void)? {
        defer { creation = nil }
        return creation
    }

    // MARK: Calls

    /// Calls that wait for what comes of them. An application that asks for more meanwhile is refused here: what the
    /// core does not take any more ends the connection, and with it a transmission.
    private static let unansweredLimit = 128

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - isEnd: It ends something, and is made however many wait.
    ///   - body: Sends it on the connection.
    ///   - completion: Called once, where the core's answer stands among the events.
    func call(isEnd: Bool = false, _ body: RequestSender, completion: @escaping Completion) {
        guard let calls, let callID = calls.nextCallID else {
            return completion(Refusal(.unknown, "pttd is not connected: is it running?"))
        }
        guard isEnd || unanswered.count < Self.unansweredLimit else {
            let reason = "\(Self.unansweredLimit) requests wait for pttd: ask again when they are answered"
            return completion(Refusal(.unknown, reason))
        }
        unanswered[callID] = completion
        body(calls) { [weak self] result in
            // What was carried out or refused is told among the events, a lost connection by its end. This is what the
            // core had no such answer to.
            guard case .failure(.failed(_, let reason)) = result else { return }
            self?.answered(callID, Refusal(.unknown, reason))
        }
    }

    func answered(_ callID: CallID, _ refusal: Refusal?) {
        unanswered.removeValue(forKey: callID)?(refusal)
    }

    func setForeground(_ isForeground: Bool) {
        self.isForeground = isForeground
        guard calls != nil else { return }
        reportedForeground = isForeground
        call(isEnd: !isForeground, { $0.setForeground(isForeground, then: $1) }, completion: { _ in })
    }
}

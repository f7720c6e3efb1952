import PTTCore
import PTTMessages

/// The rules of the core in their shortest form: no effects, timers or streams.
///
/// It is written from Documentation/Semantics.md, not from the core, and names its rules by their headings.
/// "Ours" marks a decision where Apple's texts are silent.
struct Model {
    /// An event for all subscribers, or for one application, with what the rules say about it.
    enum Notification: Equatable {
        case kind(String)
        case joined(JoinReason)
        case left(LeaveReason)
        case ended(EndCause, by: TransmitSource)
        /// - Parameter: The name of the reason.
        case refused(String)
        case interrupted(Interruption)
        case finished(Int, PushOutcome)
        case only(ClientID, String)
    }

    /// A connection with which an application has attached.
    struct Attachment {
        let application: ApplicationID
        let process: Int
        let canBeStarted: Bool
        let format: AudioFormat
        var isForeground: Bool
        /// Generated for it; nil once a channel has it, or if the channel had one already.
        var spareToken: PushToken?
    }

    /// An accessory has a button for each role.
    struct Button: Hashable {
        let origin: Origin
        let role: ButtonRole
    }

    /// Applications transmit and receive only while `awake`.
    enum PowerState {
        case awake
        case suspending
        case shuttingDown
    }

    /// Semantics, “The states”: those of the audio session. Ending takes no time here.
    enum Audio {
        case inactive
        /// Published as interrupted: a reception goes on that cannot be played.
        case interrupted
        case activating
        case active
    }

    static let timeLimit = Duration.seconds(30)
    // How policies name what is no application.
    static let commandLine = ApplicationID(rawValue: "pttctl")
    static let virtualMicrophoneID = ApplicationID(rawValue: "push-to-talk-microphone")
    static let recordingID = ApplicationID(rawValue: "recording")
    let releaseLag: Duration
    let whileLocked: TalkSession.WhileLocked
    /// A setting of its own in the core; the tests need no other combinations.
    var emergencyDuringCalls: Bool { whileLocked == .refuse }
    var channel: Joined?
    var virtualMicrophone = VirtualMicrophone.off
    /// The transmission of the channel of last resort.
    var lastResort: ActiveTransmission?
    /// Semantics, “A recording”: the one transmission that no channel hears.
    var recording: ActiveTransmission?
    var call: ActiveCall?
    var recorders: [String] = []
    var microphone: MicrophoneState?
    var volume = 100
    /// True once the microphone of the transmission has delivered.
    var isLive = false
    /// Until when the tone that says so may keep frames back; nil once it does not.
    var gateLimit: MonotonicTime?
    /// True while a call lasts that ended the audio session in use.
    var isInterruptedByCall = false
    var audio = Audio.inactive
    var power = PowerState.awake
    /// Nil until logind has said so.
    var isLocked: Bool? = false
    /// Nil until logind has said so.
    var isSessionInactive: Bool? = false
    var hasAudioServer = false
    var saveFailure: String?
    var policy = Policy()
    var attachments: [ClientID: Attachment] = [:]
    /// The clients whose audio socket was lost: no audio reaches them or comes from them.
    var withoutAudio: Set<ClientID> = []
    /// Buttons that reached the time limit and have not been released since.
    var timedOut: Set<Button> = []
    /// Applications that the core has started and that have not attached since.
    var startedApplications: Set<ApplicationID> = []
    /// Why channels were left whose applications were not attached and have not been notified yet.
    var leftWhileAway: [ApplicationID: LeaveReason] = [:]
    var lastToken: PushToken?
    /// How often the core has begun a transmission, opened a speaker, started an application, accepted a
    /// push.
    var counts = Counts()
    var now = MonotonicTime.seconds(0)

    struct Counts {
        var transmissions = 0
        var playbacks = 0
        var starts = 0
        var pushes = 0
    }

    // The results of the event.
    var notifications: [Notification] = []
    var audioNotifications: [Notification] = []
    var answers: [String] = []
    var tones: [String] = []
    var isStartOrdered = false
    /// True if an emergency transmitted before the event, and no participant was heard.
    var hadEmergencySession = false

    init(whileLocked: TalkSession.WhileLocked = .allow, releaseLag: Duration = .zero) {
        self.whileLocked = whileLocked
        self.releaseLag = releaseLag
    }

    mutating func handle(_ event: TalkSession.Event, at time: MonotonicTime) {
        now = time
        notifications.removeAll(keepingCapacity: true)
        audioNotifications.removeAll(keepingCapacity: true)
        answers.removeAll(keepingCapacity: true)
        tones.removeAll(keepingCapacity: true)
        isStartOrdered = false
        hadEmergencySession = isSending && channel?.isHeard != true && heardTransmission?.role == .emergency
        switch event {
        case .request(_, from: let client, let request):
            if let answer = answer(request, from: client) { answers.append(answer) }
        case .pushSent(_, let envelope): answers.append(push(envelope))
        default: apply(event)
        }
        updateAudio()
        playLatch()
    }

    private mutating func answer(_ request: TalkSession.Request, from client: ClientID) -> String? {
        if power == .shuttingDown {
            // Ours: nothing changes any more, but who leaves has left.
            guard case .leave(let request) = request else { return "shuttingDown" }
            return leave(client, request.channelID)
        }
        return switch request {
        case .attach(let request, let process, let token):
            attach(request, from: client, in: process, newToken: token)
        case .join(let request, processID: _, let channelID, let token):
            join(request, from: client, newChannelID: channelID, newToken: token)
        case .leave(let request): leave(client, request.channelID)
        case .begin(let request): begin(client, request)
        case .end(let request): end(client, request)
        case .latch(let report): latch(client, report)
        case .report(let report): self.report(client, report)
        case .finishPush(let request): finish(client, request)
        case .setVolume(let request): setVolume(request.volume)
        case .reportBattery: reportBattery()
        default: set(request, from: client)
        }
    }

    private mutating func set(_ request: TalkSession.Request, from client: ClientID) -> String? {
        switch request {
        case .setDescriptor(let request): setDescriptor(client, request)
        case .setForeground(let request): setForeground(client, request.isForeground)
        case .setServiceStatus(let request): set(client, request)
        case .setTransmissionMode(let request): set(client, request)
        case .setAccessoryEvents(let request): set(client, request)
        case .setParticipant(let request): set(client, request)
        // A request that only scenarios cover.
        default: "not modelled"
        }
    }

    private mutating func apply(_ event: TalkSession.Event) {
        switch event {
        case .clientDisconnected(let client): disconnected(client)
        case .restored(let saved, let descriptor): restore(saved, descriptor)
        case .applicationStartFailed(let start, reason: _): startFailed(start.rawValue)
        case .timerFired: timePassed()
        case .captureStarted(let capture): captureStarted(capture.rawValue)
        case .captureFailed(let capture, let cause): captureFailed(capture.rawValue, cause)
        case .playbackStarted(let playback): playbackStarted(playback.rawValue)
        case .playbackFailed(let playback, _, reason: _): playbackFailed(playback.rawValue)
        case .speakerReturned: resumeReception()
        case .audioConnectionReady(let client): audioConnectionReady(client)
        case .audioConnectionLost(let client): audioConnectionLost(client)
        case .virtualMicrophoneChanged(let microphone): virtualMicrophoneChanged(microphone)
        case .callChanged(let call): callChanged(call)
        case .recordersChanged(let recorders):
            if recorders != self.recorders { notifications.append(.kind("recordersChanged")) }
            self.recorders = recorders
        case .microphoneChanged(let microphone): microphoneChanged(microphone)
        case .gateOpened(let capture): gateOpened(capture.rawValue)
        case .volumeRestored(let saved): _ = setVolume(saved)
        case .routeChanged: notifications.append(.kind("routeChanged"))
        case .audioServerReady: audioServerReady()
        case .audioServerLost: audioServerLost()
        case .policyChanged(let policy):
            self.policy = policy
            // Semantics, “A policy that changes”.
            if let channel, forbids(channel.ownerID ?? Self.commandLine) != nil { leave(.systemPolicy) }
            // Ours.
            if channel == nil, forbids(Self.virtualMicrophoneID) != nil { endHeard(.channelLeft) }
            if recording != nil, forbids(Self.recordingID) != nil { endTransmission(.stopped) }
        case .systemSuspending: suspend()
        case .systemResumed: resume()
        case .sessionLocked: lock()
        case .sessionUnlocked: isLocked = false
        case .sessionInactive:
            isSessionInactive = true
            endTransmission(.sessionInactive)
            interruptReception("sessionInactive")
        case .sessionActive:
            guard isSessionInactive != false else { return }
            isSessionInactive = false
            resumeReception()
        case .slept(let seconds): slept(seconds)
        case .stateSaved:
            if saveFailure != nil { notifications.append(.kind("stateSaved")) }
            saveFailure = nil
        case .stateNotSaved(let reason):
            if saveFailure != reason { notifications.append(.kind("stateNotSaved")) }
            saveFailure = reason
        case .shuttingDown: shutDown()
        default: break
        }
    }
}

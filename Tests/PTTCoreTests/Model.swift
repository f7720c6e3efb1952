import PTTCore
import PTTMessages

/// The rules in their shortest form, without effects, timers or streams. Time is in whole seconds.
struct Model {
    /// What everybody, or one application, is told, as far as the rules tell.
    enum Told: Equatable {
        case word(String)
        case joined(JoinReason)
        case left(LeaveReason)
        case ended(EndCause, by: TransmitSource)
        case refused(RefusalCode)
        case interrupted(Interruption)
        case finished(Int, PushOutcome)
        case alone(ClientID, String)
    }

    struct Attached {
        let application: ApplicationID
        let canBeStarted: Bool
        var isInFront: Bool
        let token: PushToken
        var isTokenUsed = false
    }

    struct Joined {
        let id: ChannelID
        var name: String
        var owner: ApplicationID?
        var canBeStarted = false
        /// The client that is the application.
        var holder: ClientID?
        let token: PushToken
        var isStartingUntil: Int?
        /// Until when its process may come back by itself.
        var returnUntil = 0
        /// When the start is due.
        var launchAt: Int?
        var startID = 0
        /// Buttons that the application was told of as pressed, and by whom the core was.
        var pressed: [(origin: Origin, by: ClientID)] = []
        var status = ServiceStatus.ready
        var mode = TransmissionMode.halfDuplex
        var hasButtons = true
        var speaker: String?
        /// Whether the speaker is not open for the first time yet.
        var isOpening = false
        var hasPicture = false
        var needsDescriptor = false
        /// Of the transmissions that the starting application has missed.
        var missed: [String] = []
    }

    struct Talker {
        let client: ClientID
        let source: TransmitSource
        let origin: Origin
        let began: Int
        var isWarned = false
    }

    struct Waiting {
        let id: Int
        let kind: PushKind
        var until: Int?
    }

    static let limit = 30
    var attached: [ClientID: Attached] = [:]
    var channel: Joined?
    var talker: Talker?
    var pushes: [Waiting] = []
    var lastToken: PushToken?
    var urgent: [Int] = []
    var policy = Policy()
    var transmissions = 0
    var playbacks = 0
    var pushCount = 0
    var starts = 0
    /// Why channels were left whose applications were away.
    var leftAway: [ApplicationID: LeaveReason] = [:]
    /// Whose audio socket has closed.
    var audioLost: Set<ClientID> = []
    var isAudioLost: Bool { channel?.holder.map(audioLost.contains) ?? false }
    /// Whom the core has started and not seen since.
    var awaited: Set<ApplicationID> = []
    var saveFailure: String?
    var isPlaying = false
    var audio = AudioState.inactive
    var hasAudioServer = false
    var isSpeakerLost = false
    var isInterrupted = false
    var isSuspending = false
    var isLocked = false
    var isElsewhere = false
    var isOver = false
    var graceUntil: Int?
    var stuck: [Origin] = []
    var now = 0

    /// What this event leads to.
    var told: [Told] = []
    var audioTold: [Told] = []
    var isStartOrdered = false
    /// The press is refused because the application handles it.
    var isForTheApplication = false

    /// Requests that wait for the speaker.
    var owed = 0
    var lateAnswers: [String] = []

    /// - Returns: The answers to requests, in the words of the trace.
    mutating func take(_ event: TalkSession.Event, at second: Int) -> [String] {
        now = second
        told.removeAll(keepingCapacity: true)
        audioTold.removeAll(keepingCapacity: true)
        lateAnswers.removeAll(keepingCapacity: true)
        isStartOrdered = false
        isForTheApplication = false
        let answer = answer(event)
        if answer == nil { happen(event) }
        followAudio()
        return lateAnswers + (answer.map { $0 == "later" ? [] : [$0] } ?? [])
    }

    private mutating func answer(_ event: TalkSession.Event) -> String? {
        switch event {
        case .attachRequested(_, let client, processID: _, let request, let token):
            attach(client, request, token)
        case .joinRequested(_, let client, processID: _, let request, let fresh, let token):
            join(client, request, fresh, token)
        case .leaveRequested(_, let client, let id): leave(client, id)
        case .descriptorRequested(_, let client, let request): rename(client, request)
        case .beginRequested(_, let client, let request): begin(client, request)
        case .endRequested(_, let client, let request): end(client, request)
        case .foregroundRequested(_, let client, let isForeground):
            attached[client] == nil ? "unknown" : front(client, isForeground)
        case .serviceStatusRequested(_, let client, let request):
            set(client) {
                $0.status = request.status
            } told: {
                $0.status == $1.status ? nil : "serviceStatusChanged"
            }
        case .transmissionModeRequested(_, let client, let request): changeMode(client, request.mode)
        case .accessoryEventsRequested(_, let client, let request):
            set(client) {
                $0.hasButtons = request.isEnabled
            } told: {
                $0.hasButtons == $1.hasButtons ? nil : "accessoryEventsChanged"
            }
        case .participantRequested(_, let client, let request): participant(client, request.participant)
        case .pushRequested(_, let envelope): push(envelope)
        case .finishPushRequested(_, let client, let request): finish(client, request)
        default: nil
        }
    }

    private mutating func happen(_ event: TalkSession.Event) {
        switch event {
        case .clientDisconnected(let client): disconnected(client)
        case .timerFired: timerFired()
        case .applicationStartFailed(let start, reason: _): startFailed(start.rawValue)
        case .captureStarted(let capture):
            if isCapturing, capture.rawValue == transmissions { streamStarted() }
        case .captureFailed(let capture, let cause):
            if isCapturing, capture.rawValue == transmissions { silence(cause) }
        case .playbackStarted(let playback):
            guard isPlaying, playback.rawValue == playbacks else { return }
            streamStarted()
            answerLate("done")
            channel?.isOpening = false
        case .playbackFailed(let playback, _, reason: _):
            guard isPlaying, playback.rawValue == playbacks else { return }
            if channel?.isOpening == true { clearSpeaker() } else { isSpeakerLost = true }
        case .restored(let saved, let descriptor): restore(saved, descriptor)
        case .routeChanged:
            told.append(.word("routeChanged"))
        case .audioServerReady:
            guard !hasAudioServer else { return }
            told.append(.word("audioServerReady"))
            hasAudioServer = true
            retrySpeaker()
        case .audioServerLost:
            guard hasAudioServer else { return }
            silence(.audioServerLost)
            giveUpOpening()
            if hasAudioServer { told.append(.word("audioServerLost")) }
            hasAudioServer = false
        case .systemSuspending:
            silence(.suspended)
            giveUpOpening()
            isSuspending = true
        case .systemResumed:
            guard isSuspending else { return }
            isSuspending = false
            retrySpeaker()
        case .audioConnectionReady(let client):
            guard audioLost.remove(client) != nil, channel?.holder == client else { return }
            retrySpeaker()
        case .audioConnectionLost(let client):
            if attached[client] != nil || channel?.holder == client { audioLost.insert(client) }
            guard channel?.holder == client else { return }
            silence(.audioConnectionLost)
            giveUpOpening()
        case .sessionLocked: isLocked = true
        case .sessionInactive:
            isElsewhere = true
            silence(.sessionInactive)
        case .sessionActive: isElsewhere = false
        case .stateNotSaved(let reason):
            if saveFailure != reason { told.append(.word("stateNotSaved")) }
            saveFailure = reason
        case .stateSaved:
            if saveFailure != nil { told.append(.word("stateSaved")) }
            saveFailure = nil
        case .sessionUnlocked: isLocked = false
        case .policyChanged(let policy):
            self.policy = policy
            if let channel, forbids(channel.owner ?? Policy.commandLine) != nil { leave(.systemPolicy) }
        case .shuttingDown:
            isOver = true
            silence(.shuttingDown)
            clearSpeaker()
        default: break
        }
    }

    var isCapturing: Bool { talker != nil && channel?.isStartingUntil == nil }

    private mutating func answerLate(_ answer: String) {
        lateAnswers += Array(repeating: answer, count: owed)
        owed = 0
    }

    /// Who was never heard is not interrupted.
    private mutating func giveUpOpening() {
        if channel?.isOpening == true { clearSpeaker() }
    }

    private mutating func retrySpeaker() {
        if hasAudioServer, !isSuspending, !isAudioLost { isSpeakerLost = false }
    }

    mutating func clearSpeaker(_ refusal: String = "unknown") {
        guard channel?.speaker != nil else { return }
        answerLate(refusal)
        channel?.speaker = nil
        channel?.isOpening = false
        isSpeakerLost = false
        isInterrupted = false
        told.append(.word("participantChanged"))
    }

    private mutating func streamStarted() {
        guard audio == .activating else { return }
        audio = .active
        audioTold.append(.word("audioActivated"))
    }

    /// The session is wanted while somebody talks or is listened to; a change that keeps it wanted is no news.
    private mutating func followAudio() {
        let isHeard = channel?.speaker != nil && channel?.holder != nil && interruption == nil && !isOver
        if isHeard, !isPlaying { playbacks += 1 }
        isPlaying = isHeard
        if isPlaying || isCapturing {
            guard audio == .inactive else { return }
            if isInterrupted { audioTold.append(.word("audioInterruptionEnded")) }
            isInterrupted = false
            audio = .activating
            audioTold.append(.word("audioActivating"))
        } else if audio != .inactive {
            if let interruption, channel?.speaker != nil, !isOver {
                isInterrupted = true
                audioTold.append(.interrupted(interruption))
            }
            audio = .inactive
            audioTold.append(.word("audioDeactivated"))
        }
    }

    private var interruption: Interruption? {
        isSuspending
            ? .suspended
            : !hasAudioServer
                ? .audioServerLost : isAudioLost ? .audioConnectionLost : isSpeakerLost ? .speakerLost : nil
    }

    /// - Returns: Why an application may not join.
    func forbids(_ application: ApplicationID) -> String? {
        if policy.unusable != nil || policy.denied.contains(application)
            || policy.excluded.contains(application)
            || policy.allowed?.contains(application) == false
        {
            return "deviceManagementRestriction"
        }
        return policy.isClosed ? "screenTimeRestriction" : nil
    }
}

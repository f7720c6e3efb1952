package import PTTMessages

/// The state machine of push-to-talk: one channel, at most one transmission, the audio session.
///
/// It is a value: events and the time go in, effects come out, and nothing else happens. A late event about
/// something that is over (a timer, a closed stream, a connection that holds no transmission) has no effect.
package struct TalkSession: Sendable {
    /// 20 minutes is the longest time-out timer that land mobile radios offer.
    package static let timeLimits = Duration.seconds(1)...Duration.seconds(20 * 60)
    package static let defaultTimeLimit = Duration.seconds(60)
    /// Longer, and it would be felt that the microphone is open after the release.
    package static let releaseLags = Duration.zero...Duration.milliseconds(300)
    /// In percent. Beyond 150 a loudspeaker of a notebook distorts.
    static let volumes = 0...150

    /// The effect of a locked screen on transmissions.
    package enum WhileLocked: String, CaseIterable, Codable, Sendable {
        /// A button or a person may transmit: no screen is needed for it.
        case allow
        /// Locking the screen ends a transmission, and none begins while it is locked.
        case refuse
    }

    // Settings

    /// The longest transmission.
    package let timeLimit: Duration
    /// The time for which a transmission goes on after a person has released the button, because devices and
    /// Bluetooth deliver late what was said before. Whatever else ends it ends it at once.
    package let releaseLag: Duration

    /// The state of the machine, of which the obstacles are made.
    package internal(set) var surroundings: Surroundings

    /// The effects of the event that is being handled, or was handled last.
    var effects = EffectCollector(at: MonotonicTime(nanoseconds: 0))

    // The floor: who transmits, and the streams, with a channel and without one

    var lease: Lease?
    var audio = AudioSession()
    /// The microphone of the running transmission, or of the last one.
    var microphone: MicrophoneState?
    /// The time-out lock: the buttons that ran into the time limit and have not been released since. Far more
    /// than one person's. Without it a stuck button would begin a transmission again and again:
    /// https://github.com/ramdor/Thetis/issues/518
    var timedOutButtons = BoundedSet<Button>(limit: 64)
    var transmissionCount = 0

    // The channel and the applications

    /// Nil while none is joined: presses then talk into the Push-to-Talk Microphone.
    var channel: JoinedChannel?
    var attachments = Attachments()
    /// The clients whose audio socket has closed and has not been reopened.
    var clientsWithoutAudio: Set<ClientID> = []
    /// The applications that the core has started and that have not attached since. They are in the
    /// background, however late they attach, and whatever has happened to the channel. Far more than one
    /// person's applications.
    var startedApplications = BoundedSet<ApplicationID>(limit: 16)
    /// The channels of which applications are to be notified when they attach. Far more than one person's.
    var leftChannels = BoundedSet<LeftChannel>(limit: 16)
    /// The push token of the channel that was left last.
    var lastPushToken: PushToken?
    var startCount = 0
    var pushCount = 0

    // Shown, without a rule that depends on it

    /// The names of the other applications that record from a real microphone.
    var recorders: [String] = []
    /// The volume at which the other end is heard, in percent.
    package internal(set) var volume = Status.defaultVolume
    /// Why the disk does not have the last ordered state.
    var saveFailure: String?

    /// - Parameters:
    ///   - timeLimit: The longest transmission; clamped to ``timeLimits``.
    ///   - releaseLag: How much longer than the press it lasts; clamped to ``releaseLags``.
    ///   - whileLocked: The effect of a locked screen on transmissions.
    ///   - emergencyDuringCalls: True if an emergency begins, and goes on, during a call.
    ///   - isSessionKnown: True if the session is known to be active, and its screen not to be locked. If
    ///     false, ``Event/sessionActive``, ``Event/sessionUnlocked`` and their opposites say what they are.
    package init(
        timeLimit: Duration = defaultTimeLimit,
        releaseLag: Duration = .zero,
        whileLocked: WhileLocked = .allow,
        emergencyDuringCalls: Bool = false,
        isSessionKnown: Bool = true
    ) {
        self.releaseLag = min(max(releaseLag, Self.releaseLags.lowerBound), Self.releaseLags.upperBound)
        self.timeLimit = min(max(timeLimit, Self.timeLimits.lowerBound), Self.timeLimits.upperBound)
        surroundings = Surroundings(
            whileLocked: whileLocked,
            emergencyDuringCalls: emergencyDuringCalls,
            isSessionKnown: isSessionKnown
        )
    }

    package var status: Status {
        Status(
            channel: channel?.description,
            transmission: lease?.transmission,
            audio: audio.state,
            isAudioServerReady: surroundings.isAudioServerReady,
            timeLimit: Int(timeLimit.components.seconds),
            saveFailure: saveFailure,
            virtualMicrophone: surroundings.virtualMicrophone,
            call: surroundings.call,
            recorders: recorders,
            microphone: microphone,
            volume: volume
        )
    }

    /// The clients whose requests or disconnection close the microphone: the holder of the transmission, then
    /// the channel's application. Empty without a transmission.
    package var transmissionClients: [ClientID] {
        guard let lease else { return [] }
        return [lease.holder] + [channel?.receiver].compactMap(\.self)
    }

    /// The image of the channel or of its participant.
    package func image(_ imageID: String) -> Image? {
        [channel?.descriptor.image, channel?.participant?.image].compactMap(\.self)
            .first { $0.summary.imageID == imageID }
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: When it happened; never earlier than the event before it.
    /// - Returns: The orders to the shell, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        effects = EffectCollector(at: now, standing: orders)
        let obstacle = receptionObstacle()
        transition(event)
        yieldTransmission()
        yieldReception(before: obstacle)
        updateAudio()
        effects.change(to: orders)
        return effects.inOrder
    }

    private mutating func transition(_ event: Event) {
        switch event {
        case .request(let requestID, let client, let request):
            do throws(RefusalCause) {
                if let answer = try answer(request, requestID, from: client) {
                    effects.reply(to: requestID, answer)
                }
            } catch {
                effects.reply(to: requestID, .refused(error))
            }
        case .pushSent(let requestID, let envelope): effects.reply(to: requestID, push(envelope))
        case .clientDisconnected(let client): clientDisconnected(client)
        case .restored(let channel, let descriptor): restored(channel, descriptor: descriptor)
        case .volumeRestored(let volume): volumeRestored(volume)
        case .applicationStartFailed(let startID, let reason): applicationStartFailed(startID, reason: reason)
        case .timerFired: timerFired()
        case .captureStarted(let captureID): captureStarted(captureID)
        case .captureFailed(let captureID, let cause): captureFailed(captureID, cause)
        case .playbackStarted(let playbackID): playbackStarted(playbackID)
        case .playbackFailed(let playbackID, let interruption, let reason):
            playbackFailed(playbackID, interruption, reason: reason)
        case .speakerReturned: resumeReception()
        case .audioConnectionReady(let client): clientsWithoutAudio.remove(client)
        case .audioConnectionLost(let client): audioConnectionLost(client)
        case .routeChanged(let input, let output):
            effects.publish(.routeChanged(input: input, output: output))
        case .gateOpened(let captureID): gateOpened(captureID)
        case .microphoneChanged(let microphone): microphoneChanged(microphone)
        case .virtualMicrophoneChanged(let virtualMicrophone): virtualMicrophoneChanged(virtualMicrophone)
        case .callChanged(let call): callChanged(call)
        case .recordersChanged(let recorders): recordersChanged(recorders)
        case .audioServerReady: audioServerReady()
        case .audioServerLost: audioServerLost()
        case .policyChanged(let policy): policyChanged(policy)
        case .systemSuspending: surroundings.suspend()
        case .slept(let seconds): slept(.seconds(seconds))
        case .systemResumed: surroundings.resume()
        case .sessionLocked: surroundings.isLocked = true
        case .sessionUnlocked: surroundings.isLocked = false
        case .sessionInactive: surroundings.isSessionActive = false
        case .sessionActive: surroundings.isSessionActive = true
        case .stateSaved: stateSaved()
        case .stateNotSaved(let reason): stateNotSaved(reason: reason)
        case .shuttingDown: surroundings.power = .shuttingDown
        }
    }

    /// The time at which the next step is due.
    private var deadline: MonotonicTime? {
        // Needed twice for each event, and so found without a list of them.
        var earliest = lease?.deadline
        func include(_ time: MonotonicTime) { earliest = earliest.map { min($0, time) } ?? time }
        switch channel?.presence {
        case .starting(let starting): include(starting.due)
        case .running(let running): for push in running.pushes { include(push.deadline) }
        case .unowned, .absent, nil: break
        }
        return earliest
    }

    private var orders: StandingOrders {
        StandingOrders(
            timer: deadline,
            volume: volume,
            descriptor: channel.flatMap { $0.isDescriptorLost ? nil : $0.descriptor },
            channel: channel?.saved,
            latched: lease?.audibleLatch
        )
    }
}

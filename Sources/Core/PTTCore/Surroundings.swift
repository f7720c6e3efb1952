import PTTMessages

/// The state of the machine around the core, as far as transmitting and hearing depend on it.
///
/// A condition under which the machine does neither is an ``Obstacle`` here, each once. What is unknown,
/// because nothing has reported it yet, prevents what it would decide about.
package struct Surroundings: Equatable, Sendable {
    enum Power: Equatable, Sendable {
        case awake
        case suspending
        /// pttd, or the computer.
        case shuttingDown
    }

    package let whileLocked: TalkSession.WhileLocked
    /// True if an emergency begins, and goes on, during a call.
    package let emergencyDuringCalls: Bool

    var power = Power.awake
    /// Nil until it is known.
    var isLocked: Bool?
    /// Nil until it is known.
    var isSessionActive: Bool?
    /// True once its calls are known too, or it has failed to list them, or calls are not watched.
    var isAudioServerReady = false
    var virtualMicrophone = VirtualMicrophone.off
    var call: ActiveCall?
    var policy = Policy()

    init(whileLocked: TalkSession.WhileLocked, emergencyDuringCalls: Bool, isSessionKnown: Bool) {
        self.whileLocked = whileLocked
        self.emergencyDuringCalls = emergencyDuringCalls
        isLocked = isSessionKnown ? false : nil
        isSessionActive = isSessionKnown ? true : nil
    }

    mutating func suspend() { if power == .awake { power = .suspending } }

    mutating func resume() { if power == .suspending { power = .awake } }

    /// True if an application in the foreground is in front of a person.
    var isSeen: Bool { isLocked != true && isSessionActive != false }

    /// The obstacle to transmissions, receptions and tones alike.
    var obstacle: Obstacle? {
        switch power {
        case .awake: break
        case .suspending: return Obstacle(.suspending, ends: .suspended, interrupts: .suspended)
        case .shuttingDown: return Obstacle(.shuttingDown, ends: .shuttingDown)
        }
        return switch isSessionActive {
        case true?: nil
        case false?: Obstacle(.sessionInactive, ends: .sessionInactive, interrupts: .sessionInactive)
        case nil: Obstacle(.sessionUnknown, ends: .sessionInactive, interrupts: .sessionInactive)
        }
    }

    var lockObstacle: Obstacle? {
        switch (whileLocked, isLocked) {
        case (.allow, _), (.refuse, false?): nil
        case (.refuse, true?): Obstacle(.sessionLocked, ends: .sessionLocked)
        case (.refuse, nil): Obstacle(.lockUnknown, ends: .sessionLocked)
        }
    }

    /// It interrupts a reception too, and for good.
    func callObstacle(to role: ButtonRole) -> Obstacle? {
        role == .emergency && emergencyDuringCalls
            ? nil : call.map { Obstacle(.callActive($0), ends: .callActive, interrupts: .call) }
    }

    var audioServerObstacle: Obstacle? {
        isAudioServerReady
            ? nil : Obstacle(.noAudioServer, ends: .audioServerLost, interrupts: .audioServerLost)
    }

    /// The obstacle to a press without a channel, of which nothing is heard unless somebody records from the
    /// Push-to-Talk Microphone.
    var virtualMicrophoneObstacle: Obstacle? {
        switch virtualMicrophone {
        case .off, .unavailable: Obstacle(.notJoined, ends: .recorderGone)
        case .idle: Obstacle(.noRecorder, ends: .recorderGone)
        case .recorded:
            policy.restriction(of: Policy.virtualMicrophone).map { Obstacle($0, ends: .channelLeft) }
        }
    }

    var recordingObstacle: Obstacle? {
        policy.restriction(of: Policy.recording).map { Obstacle($0, ends: .stopped) }
    }
}

/// A condition that prevents a transmission or a reception for as long as it lasts.
struct Obstacle: Equatable, Sendable {
    /// Why a request is refused meanwhile.
    let refusal: RefusalCause
    /// The cause for which it ends a transmission when it arises; nil: it only prevents that one begins.
    let end: EndCause?
    /// The interruption that it causes in a reception when it arises; nil: the reception ends.
    let interruption: Interruption?

    init(_ refusal: RefusalCause, ends end: EndCause?, interrupts interruption: Interruption? = nil) {
        self.refusal = refusal
        self.end = end
        self.interruption = interruption
    }
}

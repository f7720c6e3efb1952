package import PTTMessages

/// The state machine of `ptt-indicator`: from what the core, the desktop and the person do to what is shown and asked
/// of the core.
package struct Indicator: Sendable {
    /// How long the program waits after the channel was left, or the core was lost: people change from one channel to
    /// another, and the service manager starts a core again that has failed.
    package static let pause = (channelLeft: Duration.seconds(5), coreGone: Duration.seconds(30))

    /// Nil while the core is not connected.
    package private(set) var status: Status?
    private var refusal: String?
    private var images = ShownImages()
    private var item: PanelItem?
    /// When the program ends, unless something happens before.
    private var exit: (reason: ExitReason, at: MonotonicTime)?
    /// The time of the last ``Effect/arm(at:)``.
    private var armed: MonotonicTime?

    package init() {}

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        var effects = transition(event, at: now)
        effects += updateImages()
        effects += updatePanel()
        effects += updateTimer()
        return effects
    }

    private mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .core(.status(let status)):
            self.status = status
            refusal = nil
            updateExit(at: now)
            return []
        case .core(.event(let event)):
            return apply(event, at: now)
        case .coreLost:
            status = nil
            refusal = nil
            images.fetchingFailed()
            updateExit(at: now)
            return []
        case .watcherChanged(let isThere):
            // Nobody sees the open microphone any more.
            return isThere ? [] : end(.panel)
        case .panelActivated, .menuClicked(.talk):
            return toggle(.panel)
        case .menuClicked(.leave):
            return status?.channel.map { [.leave($0.channelID)] } ?? []
        case .menuClicked(.channel), .menuClicked(.speaker), .menuClicked(.separator), .menuClicked(.problem):
            return []
        case .imageReady(let imageID):
            images.ready(imageID)
            return []
        case .imageUnusable(let imageID):
            images.unusable(imageID)
            return []
        case .notificationCapabilities, .noticeShown, .noticeActionInvoked, .noticeClosed,
            .notificationServiceLost:
            return []
        case .keyPressed, .keyReleased, .keyLost:
            return []
        case .screenLocked, .playerStopRequested:
            return []
        case .timerFired:
            armed = nil
            if let exit, exit.at <= now { return [.exit(exit.reason)] }
            return []
        }
    }

    // MARK: - The core

    private mutating func apply(_ event: CoreEvent, at now: MonotonicTime) -> [Effect] {
        status?.apply(event)
        switch event {
        case .transmissionRefused(let origin, let refusal):
            if TalkOrigin(origin) != nil {
                self.refusal = DisplayText(refusal.reason).or("Talking was refused")
            }
        case .transmissionBegan, .participantChanged, .channelJoined, .callChanged, .serviceStatusChanged,
            .audioServerReady, .audioServerLost:
            refusal = nil
        case .channelLeft, .descriptorChanged, .applicationStarting, .applicationDetached,
            .transmissionModeChanged, .accessoryEventsChanged, .transmissionEnded, .timeLimitNear,
            .audioActivating, .audioActivated, .audioDeactivated, .audioInterrupted, .audioInterruptionEnded,
            .routeChanged, .pushFinished, .stateSaved, .stateNotSaved, .virtualMicrophoneChanged,
            .recordersChanged, .microphoneChanged, .volumeChanged, .channelRestored, .pushReceived,
            .requestAnswered, .endRefused, .accessoryPressed, .accessoryReleased, .buttonPressed,
            .buttonReleased, .unknown:
            break
        }
        updateExit(at: now)
        return []
    }

    // MARK: - Talking

    private var transmitting: TalkOrigin? { status?.transmission.flatMap { TalkOrigin($0.origin) } }

    /// Begins a transmission, or ends the one that there is, whatever began it.
    private func toggle(_ origin: TalkOrigin) -> [Effect] {
        guard let status, let channel = status.channel else { return [] }
        return status.transmission == nil
            ? [.begin(origin, channel.channelID)] : [.stop(channel.channelID)]
    }

    private func end(_ origin: TalkOrigin) -> [Effect] {
        transmitting == origin ? [.end(origin)] : []
    }

    // MARK: - What follows from the state

    private mutating func updateExit(at now: MonotonicTime) {
        let reason: ExitReason? =
            switch status {
            case .some(let status): status.channel == nil ? .channelLeft : nil
            case .none: .coreGone
            }
        guard reason != exit?.reason else { return }
        exit = reason.map { reason in
            switch reason {
            case .channelLeft: (reason, now + Self.pause.channelLeft)
            case .coreGone: (reason, now + Self.pause.coreGone)
            }
        }
    }

    private mutating func updateImages() -> [Effect] {
        guard let channel = status?.channel else { return [] }
        return images.show([channel.image, channel.participant?.image].compactMap { $0?.imageID })
    }

    private mutating func updatePanel() -> [Effect] {
        let item = PanelItem(status, refusal: refusal, readyImages: images.ready)
        guard item != self.item else { return [] }
        self.item = item
        return [.showPanel(item)]
    }

    private mutating func updateTimer() -> [Effect] {
        let next = exit?.at
        guard next != armed else { return [] }
        armed = next
        return next.map { [.arm(at: $0)] } ?? [.disarm]
    }
}

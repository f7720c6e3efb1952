package import PTTMessages

/// The state machine of `ptt-indicator`: from what the core, the desktop and the person do to what is shown
/// and asked of the core.
package struct Indicator: Sendable {
    /// The time for which the program waits after the channel was left or the call ended, or the core was
    /// lost: people change from one channel to another, and the service manager starts a core again that has
    /// failed.
    package static let pause = (nothingToShow: Duration.seconds(5), coreGone: Duration.seconds(30))

    /// Nil while the core is not connected.
    package private(set) var status: Status?
    /// The name of the item when the core was lost.
    private var lastName: Text?
    /// The last message, while nothing has happened since.
    private var message: Message?
    private var messageCount = 0
    private var images = ShownImages()
    private let settings: IndicatorSettings
    private var notice: Notice
    private var key = TalkKey()
    private var canChooseKey = false
    private var player: MediaPlayer?
    private var isLocked = false
    /// Nil before the first report.
    private var hasPanel: Bool?
    private var item: PanelItem?
    /// The reason and the time of the program's end, unless something happens before.
    private var exit: (reason: ExitReason, at: MonotonicTime)?
    /// The time of the last ``Effect/arm(at:)``.
    private var armed: MonotonicTime?

    package init(_ settings: IndicatorSettings = IndicatorSettings()) {
        self.settings = settings
        notice = Notice(settings)
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        var effects = transition(event, at: now)
        effects += updateImages()
        effects += updatePanel()
        effects += updateNotice(at: now)
        effects += updatePlayer()
        effects += updateTimer()
        return effects
    }

    private mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .coreStatus(let status):
            self.status = status
            lastName = nil
            message = nil
            updateExit(at: now)
            return []
        case .core(let event):
            return apply(event, at: now)
        case .coreLost:
            lastName = Destination(status)?.name ?? lastName
            status = nil
            message = nil
            images.fetchingFailed()
            updateExit(at: now)
            return perform(key.handle(.coreLost, at: now))
        case .watcherChanged(let isThere):
            defer { hasPanel = isThere }
            return isThere || hasPanel == false ? [] : endUnseen(at: now)
        case .panelActivated:
            return status?.transmission == nil ? begin(.panel) : stop()
        case .menuClicked(.talk):
            return begin(.panel)
        case .menuClicked(.stop):
            return stop()
        case .menuClicked(.leave):
            return status?.channel.map { [.leave($0.channelID)] } ?? []
        case .menuClicked(.key):
            return canChooseKey ? [.chooseKey] : []
        case .menuClicked(.channel), .menuClicked(.speaker), .menuClicked(.separator), .menuClicked(.problem):
            return []
        case .imageReady(let imageID):
            images.fetched(imageID)
            return []
        case .notice(.actionInvoked(let id, let action)):
            guard notice.isOurs(id) else { return [] }
            return notice.handle(.actionInvoked(id: id, action), at: now) + act(action)
        case .notice(let event):
            return handle(event, at: now)
        case .key(let event):
            return perform(key.handle(event, at: now))
        case .keyChoiceChanged(let isOffered):
            canChooseKey = isOffered
            return []
        case .screenLocked(let isLocked):
            return screenLocked(isLocked, at: now)
        case .sessionResumed:
            message = nil
            return []
        case .playerStopRequested:
            return stop()
        case .timerFired:
            armed = nil
            let effects = notice.handle(.timerFired, at: now) + perform(key.handle(.timerFired, at: now))
            if let exit = dueExit, exit.at <= now { return effects + [.exit(exit.reason)] }
            return effects
        }
    }

    // MARK: - The core

    private mutating func apply(_ event: CoreEvent, at now: MonotonicTime) -> [Effect] {
        let text = event.message(in: status)
        status?.apply(event)
        if outdatesMessage(event) { message = nil }
        if let text { say(text) }
        updateExit(at: now)
        return []
    }

    private mutating func say(_ text: Text) {
        messageCount += 1
        message = Message(text: text, number: messageCount)
    }

    /// Returns true if what was said before this event is over, or may be allowed after it.
    private func outdatesMessage(_ event: CoreEvent) -> Bool {
        if case .transmissionBegan = event { return true }
        if case .transmissionEnded = event { return true }
        if case .participantChanged = event { return true }
        if case .channelJoined = event { return true }
        if case .channelLeft = event { return true }
        if case .transmissionModeChanged = event { return true }
        if case .callChanged = event { return true }
        if case .serviceStatusChanged = event { return true }
        // In a channel it makes no difference to a press.
        if case .virtualMicrophoneChanged = event {
            return status?.channel == nil && status?.transmission == nil
        }
        if case .microphoneChanged = event {
            return [MicrophoneState.muted, MicrophoneState.silent].contains(message?.text)
        }
        return [.audioServerReady, .audioServerLost].contains(event)
    }

    // MARK: - Talking

    /// Begins a transmission, unless there is one. On a locked screen only hardware talks.
    private mutating func begin(_ origin: TalkOrigin) -> [Effect] {
        guard let destination = Destination(status), !destination.isMicrophoneOpen else { return [] }
        guard !isLocked else {
            say(Text("The screen is locked"))
            return []
        }
        return [.begin(origin, destination.channelID)]
    }

    /// Also without a transmission that is known: one may just have been asked for.
    private func end(_ origin: TalkOrigin) -> [Effect] { status == nil ? [] : [.end(origin)] }

    /// Ends the transmission, whatever began it.
    private func stop() -> [Effect] {
        guard let destination = Destination(status), destination.isMicrophoneOpen else { return [] }
        return [.stop(destination.channelID)]
    }

    /// Ends what was begun here, because nothing shows the open microphone any more.
    private mutating func endUnseen(at now: MonotonicTime) -> [Effect] {
        end(.panel) + end(.notification) + perform(key.handle(.lost(.unseen), at: now))
    }

    /// Ends what was begun here: nothing shows the open microphone on a locked screen, and nobody can end it
    /// there. Who talks with hardware has it in the hand.
    private mutating func screenLocked(_ isLocked: Bool, at now: MonotonicTime) -> [Effect] {
        self.isLocked = isLocked
        message = nil
        let effects = perform(key.handle(.screenLocked(isLocked), at: now))
        return isLocked ? end(.panel) + end(.notification) + effects : effects
    }

    private func perform(_ effects: [TalkKey.Effect]) -> [Effect] {
        effects.flatMap { effect -> [Effect] in
            switch effect {
            case .begin: Destination(status).map { [.begin(.key, $0.channelID)] } ?? []
            // Also where its transmission has ended, so that the core knows that the key is up.
            case .end: [.end(.key)]
            case .endUnreported:
                [
                    .end(.key),
                    .log(
                        "the talk key counts as released: the desktop has neither repeated the press nor reported "
                            + "the release"
                    ),
                ]
            }
        }
    }

    // MARK: - The notification

    private mutating func handle(_ event: Notice.Event, at now: MonotonicTime) -> [Effect] {
        let isLost = notice.isLost(after: event)
        let wasShown = notice.isShown
        let effects = notice.handle(event, at: now)
        if hasPanel == true { return effects }
        if isLost { return effects + endUnseen(at: now) }
        // A daemon may close the notification whose button was pressed, and be gone before it shows the next.
        return wasShown && !notice.isShown ? effects + end(.notification) : effects
    }

    private mutating func act(_ action: Notice.Action) -> [Effect] {
        switch action {
        case .talk: begin(.notification)
        case .stop: stop()
        case .leave: status?.channel.map { [.leave($0.channelID)] } ?? []
        }
    }

    // MARK: - What follows from the state

    private mutating func updateExit(at now: MonotonicTime) {
        let reason: ExitReason? =
            switch status {
            case .some(let status): Destination(status) == nil ? .nothingToShow : nil
            case .none: .coreGone
            }
        guard reason != exit?.reason else { return }
        exit = reason.map { reason in
            switch reason {
            case .nothingToShow: (reason, now + Self.pause.nothingToShow)
            case .coreGone: (reason, now + Self.pause.coreGone)
            }
        }
    }

    /// Nil also while a notification could outlive the program, the only one that will know which one it is.
    private var dueExit: (reason: ExitReason, at: MonotonicTime)? { notice.isWithoutIdentifier ? nil : exit }

    private mutating func updateImages() -> [Effect] {
        guard let channel = status?.channel else { return [] }
        return images.show([channel.image, channel.participant?.image].compactMap { $0?.imageID })
    }

    private mutating func updatePanel() -> [Effect] {
        let item = PanelItem(
            status,
            lastName: lastName,
            message: message?.text,
            readyImages: images.ready,
            canChooseKey: canChooseKey
        )
        guard item != self.item else { return [] }
        self.item = item
        return [.showPanel(item)]
    }

    private func view(hasPanel: Bool) -> Destination? {
        var view = Destination(status, readyImages: images.ready)
        view?.message = message
        view?.isLocked = isLocked
        view?.hasPanel = hasPanel
        return view
    }

    private mutating func updateNotice(at now: MonotonicTime) -> [Effect] {
        // Nothing is shown that a panel makes superfluous a moment later.
        notice.update(hasPanel.flatMap { view(hasPanel: $0) }, at: now)
    }

    private mutating func updatePlayer() -> [Effect] {
        let player = MediaPlayer(view(hasPanel: hasPanel ?? false), settings)
        guard player != self.player else { return [] }
        self.player = player
        return [.showPlayer(player)]
    }

    private mutating func updateTimer() -> [Effect] {
        let next = [dueExit?.at, notice.deadline, key.deadline].compactMap(\.self).min()
        guard next != armed else { return [] }
        armed = next
        return next.map { [.arm(at: $0)] } ?? [.disarm]
    }
}

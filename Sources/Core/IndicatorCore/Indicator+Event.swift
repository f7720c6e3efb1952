package import PTTMessages

extension Indicator {
    /// Something that has happened.
    package enum Event: Equatable, Sendable {
        // The core.

        /// The first update on a new connection.
        case coreStatus(Status)
        case core(CoreEvent)
        /// The connection to the core ended, and with it what was begun on it.
        case coreLost

        // The panel.

        /// True if a panel is there that shows tray items; false without one, and without a bus.
        case watcherChanged(isThere: Bool)
        /// A left click on the tray item.
        case panelActivated
        case menuClicked(MenuEntry.ID)

        // Pictures.

        /// A picture was fetched and decoded.
        case imageReady(String)

        // The notification.

        case notice(Notice.Event)

        // The key on the keyboard.

        case key(TalkKey.Event)
        /// The desktop lets people choose the key when it is asked to, or does so no more.
        case keyChoiceChanged(isOffered: Bool)

        // The session, and its lock screen.

        /// The machine has slept and does not any more, or the session is the active one, perhaps again.
        case sessionResumed
        case screenLocked(Bool)
        /// Pause, Stop or PlayPause of the media player.
        case playerStopRequested

        /// The time of ``Effect/arm(at:)`` has come.
        case timerFired
    }

    /// Something that is to be done. Several are done in the given order.
    package enum Effect: Equatable, Sendable {
        /// Without a channel into the Push-to-Talk Microphone.
        case begin(TalkOrigin, ChannelID?)
        /// Ends the transmission that this origin began, if it lasts.
        case end(TalkOrigin)
        /// Ends the transmission, whatever began it.
        case stop(ChannelID?)
        case leave(ChannelID)

        /// Lets the desktop ask for the key.
        case chooseKey

        /// Replaces what the tray item shows.
        case showPanel(PanelItem)

        /// Replies with ``Event/imageReady(_:)``, if there is such a picture.
        case fetchImage(String)
        /// The picture is not shown any more.
        case dropImage(String)

        /// Replies with ``Notice/Event/capabilities(_:)``.
        case askNoticeCapabilities
        /// Shows a notice in place of the one with the number `replacing`; 0 for a new one. Replies with
        /// ``Notice/Event/shown(_:)``.
        case notify(Notice.Content, replacing: UInt32)
        case closeNotice(id: UInt32)

        /// A line for the person who asks why.
        case log(String)

        /// Nil: there is to be no player.
        case showPlayer(MediaPlayer?)

        /// Replaces an earlier time.
        case arm(at: MonotonicTime)
        case disarm

        /// There is nothing to show any more.
        case exit(ExitReason)
    }

    package enum ExitReason: Equatable, Sendable {
        /// No channel is joined, and no program records from the Push-to-Talk Microphone.
        case nothingToShow
        case coreGone
    }
}

package import PTTMessages

extension Notice {
    /// A button of the notification. The raw value is its identifier at the daemon.
    package enum Action: String, CaseIterable, Sendable {
        case talk
        case stop
        case leave

        package var label: Text {
            switch self {
            case .talk: Text("Talk")
            case .stop: Text("Stop")
            case .leave: Text("Leave")
            }
        }
    }

    /// The raw value is that of the hint `urgency`.
    package enum Urgency: UInt8, Sendable {
        case normal = 1
        case critical = 2
    }

    /// The content of a notification.
    package struct Content: Equatable, Sendable {
        package let summary: Text
        package let body: Text
        /// True if the daemon reads markup in the body.
        package let hasMarkup: Bool
        /// Empty where the daemon has no actions.
        package let actions: [Action]
        package internal(set) var imageID: String?
        package let urgency: Urgency
        /// True if it stays until it is closed; otherwise it disappears after the daemon's own time.
        package let stays: Bool
        /// True if it is shown on a locked screen, where others may read it.
        package let isOnLockScreen: Bool
    }
}

extension Notice.Content {
    /// - Returns: Nil if nothing is to be shown.
    init?(_ view: Destination, _ settings: IndicatorSettings, _ capabilities: Set<String>) {
        guard settings.notifications else { return nil }
        guard !view.isLocked || settings.lockScreen != .off else { return nil }
        let showsNames = !view.isLocked || settings.namesOnLockScreen
        let message = showsNames ? view.message?.text : nil
        // A panel shows the channel and the open microphone; who speaks is news then, and what a tone says.
        guard view.speaker != nil || message != nil || !view.hasPanel else { return nil }
        let showsMicrophone = view.isMicrophoneOpen && !view.hasPanel
        let sentence = view.sentence(
            namesOnLockScreen: settings.namesOnLockScreen,
            withMicrophone: showsMicrophone
        )
        let isSentenceNews = view.speaker != nil || !view.hasPanel
        self.init(
            summary: view.name,
            body: Self.joined(isSentenceNews ? sentence : nil, message),
            hasMarkup: capabilities.contains("body-markup"),
            actions: capabilities.contains("actions") ? Self.actions(view) : [],
            imageID: showsNames && !showsMicrophone ? view.speaker?.imageID : nil,
            urgency: showsMicrophone ? .critical : .normal,
            stays: !view.hasPanel,
            isOnLockScreen: view.isLocked
        )
    }

    private static func joined(_ first: Text?, _ second: Text?) -> Text {
        guard let first, let second else { return first ?? second ?? Text("") }
        return Text("\(first). \(second)")
    }

    /// A locked screen shows no buttons, and what ends there is a matter of hardware.
    private static func actions(_ view: Destination) -> [Notice.Action] {
        if view.isLocked { return [] }
        let leave: [Notice.Action] = view.channelID == nil ? [] : [.leave]
        if view.isMicrophoneOpen { return [.stop] + leave }
        return view.canTalk ? [.talk] + leave : leave
    }

    /// Without the characters that begin markup where the daemon reads it (Desktop Notifications
    /// Specification, "Markup"): the body, once it is translated.
    package func escaped(_ text: String) -> String {
        guard hasMarkup else { return text }
        let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}

package import PTTMessages

/// The receiver of a press, and what is shown of it: the joined channel or, without one, the calls that
/// record from the Push-to-Talk Microphone.
package struct Destination: Equatable, Sendable {
    package enum Receiver: Equatable, Sendable {
        case channel(ChannelID)
        /// The names of the programs that record.
        case calls([Text])
    }

    package struct Speaker: Equatable, Sendable {
        package var name: Text
        /// The picture, if it has been fetched and can be shown.
        package var imageID: String?
    }

    package var receiver: Receiver
    package var name: Text
    /// The channel's picture, if it can be shown.
    package var imageID: String?
    package var speaker: Speaker?
    package var isMicrophoneOpen = false
    /// True if the microphone is open for a recording, which nobody here hears.
    package var isRecording = false
    /// True if the channel's mode allows to talk.
    package var canTalk = true
    package var message: Message?
    package var isLocked = false
    /// True if a panel shows the tray item, and with it the open microphone.
    package var hasPanel = false

    /// Nil for the Push-to-Talk Microphone.
    package var channelID: ChannelID? {
        switch receiver {
        case .channel(let channelID): channelID
        case .calls: nil
        }
    }
}

extension Destination {
    /// Nil without a core, and where a press has nowhere to go.
    init?(_ status: Status?, readyImages: Set<String> = []) {
        guard let status else { return nil }
        if let channel = status.channel {
            func ready(_ image: ImageSummary?) -> String? {
                image.flatMap { readyImages.contains($0.imageID) ? $0.imageID : nil }
            }
            receiver = .channel(channel.channelID)
            name = DisplayText(channel.name).or(Self.unnamed)
            imageID = ready(channel.image)
            speaker = channel.participant.map {
                Speaker(name: DisplayText($0.name).or(Text("Somebody")), imageID: ready($0.image))
            }
            canTalk = channel.transmissionMode != .listenOnly
        } else if case .recorded(let programs) = status.virtualMicrophone {
            receiver = .calls(programs.map { DisplayText($0).or(Text("A program")) })
            name = Self.unnamed
        } else {
            return nil
        }
        isMicrophoneOpen = status.transmission != nil
        isRecording = status.transmission?.recording != nil
    }

    static let unnamed = Text("Push to talk")

    /// The sentence for people. On a locked screen, which others read, names are shown only if the person
    /// asked for it.
    func sentence(namesOnLockScreen showsNames: Bool, withMicrophone: Bool) -> Text {
        let showsNames = showsNames || !isLocked
        if withMicrophone, isMicrophoneOpen {
            guard case .calls = receiver, showsNames else { return Text("The microphone is open") }
            return Text("The microphone is open: \(hearing)")
        }
        switch receiver {
        case .channel: return showsNames || speaker == nil ? hearing : Text("Somebody speaks")
        case .calls: return showsNames ? hearing : Text("A call listens")
        }
    }

    /// The person who is heard or, in calls, those who hear; with two names at most, since it is one line.
    var hearing: Text {
        switch receiver {
        case .channel: speaker.map { Text("\($0.name) speaks") } ?? Self.nobodySpeaks
        case .calls(let programs):
            isMicrophoneOpen && !isRecording ? Self.voice(programs) : Self.silence(programs)
        }
    }

    static let nobodySpeaks = Text("Nobody speaks")

    private static func voice(_ programs: [Text]) -> Text {
        switch programs.count {
        case 0: Text("A program hears you")
        case 1: Text("\(programs[0]) hears you")
        case 2: Text("\(programs[0]) and \(programs[1]) hear you")
        default: Text("\(programs.count) programs hear you")
        }
    }

    private static func silence(_ programs: [Text]) -> Text {
        switch programs.count {
        case 0: Text("A program hears silence")
        case 1: Text("\(programs[0]) hears silence")
        case 2: Text("\(programs[0]) and \(programs[1]) hear silence")
        default: Text("\(programs.count) programs hear silence")
        }
    }
}

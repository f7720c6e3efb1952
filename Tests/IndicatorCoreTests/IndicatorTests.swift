import IndicatorCore
import PTTMessages
import Testing

struct IndicatorTests {
    static let now = MonotonicTime(nanoseconds: 0)

    private static func status(_ name: String = "Radio") throws -> Status {
        let channelID = try #require(ChannelID("8A1C9D6E-0000-4000-8000-000000000001"))
        return Status(
            channel: Channel(channelID: channelID, name: name),
            isAudioServerReady: true,
            timeLimit: 60
        )
    }

    /// The machine with a channel.
    static func joined() throws -> (Indicator, ChannelID) {
        var indicator = Indicator()
        let status = try status()
        _ = indicator.handle(.coreStatus(status), at: now)
        return (indicator, try #require(status.channel?.channelID))
    }

    private static func transmission(_ origin: Origin) -> Transmission {
        Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .userRequest,
            origin: origin,
            began: 0
        )
    }

    private static func panel(_ effects: [Indicator.Effect]) -> PanelItem? {
        for case .showPanel(let item) in effects { return item }
        return nil
    }

    @Test func `a click on the tray item begins a transmission of the panel`() throws {
        var (indicator, channelID) = try Self.joined()
        #expect(indicator.handle(.panelActivated, at: Self.now) == [.begin(.panel, channelID)])
    }

    @Test(arguments: [TalkOrigin.panel.origin, Origin(kind: .wiredHeadset, identifier: "jack", name: "Jack")])
    func `a click stops the transmission, whatever began it`(origin: Origin) throws {
        var (indicator, channelID) = try Self.joined()
        _ = indicator.handle(
            .core(.transmissionBegan(transmission: Self.transmission(origin))),
            at: Self.now
        )
        #expect(indicator.handle(.menuClicked(.stop), at: Self.now) == [.stop(channelID)])
        #expect(indicator.handle(.panelActivated, at: Self.now) == [.stop(channelID)])
    }

    @Test func `a panel that is gone ends its transmission, also one that has not begun yet`() throws {
        var (indicator, _) = try Self.joined()
        _ = indicator.handle(.watcherChanged(isThere: true), at: Self.now)
        _ = indicator.handle(.panelActivated, at: Self.now)
        #expect(indicator.handle(.watcherChanged(isThere: false), at: Self.now).contains(.end(.panel)))
    }

    @Test func `a screen that is locked ends what was begun on it, and begins nothing`() throws {
        var (indicator, channelID) = try Self.joined()
        _ = indicator.handle(.panelActivated, at: Self.now)
        let locked = indicator.handle(.screenLocked(true), at: Self.now)
        #expect(locked.contains(.end(.panel)))
        #expect(locked.contains(.end(.notification)))
        let clicked = indicator.handle(.menuClicked(.talk), at: Self.now)
        #expect(!clicked.contains(.begin(.panel, channelID)))
        #expect(Self.panel(clicked)?.menu.first { $0.id == .problem }?.label == "The screen is locked")
        _ = indicator.handle(.screenLocked(false), at: Self.now)
        #expect(indicator.handle(.panelActivated, at: Self.now) == [.begin(.panel, channelID)])
    }

    @Test func `a click on a locked screen still stops, and what a hand holds is not stopped by the lock`()
        throws
    {
        var (indicator, channelID) = try Self.joined()
        let button = Origin(kind: .bluetoothButton, identifier: "b", name: "Button")
        _ = indicator.handle(
            .core(.transmissionBegan(transmission: Self.transmission(button))),
            at: Self.now
        )
        #expect(!indicator.handle(.screenLocked(true), at: Self.now).contains(.stop(channelID)))
        #expect(indicator.handle(.menuClicked(.stop), at: Self.now) == [.stop(channelID)])
    }

    @Test func `a talk key whose release is not reported is released, and the log says so`() throws {
        var (indicator, channelID) = try Self.joined()
        #expect(indicator.handle(.key(.pressed), at: Self.now).contains(.begin(.key, channelID)))
        _ = indicator.handle(.key(.pressed), at: Self.now + .milliseconds(500))
        let end = Self.now + .milliseconds(1500)
        let released = indicator.handle(.timerFired, at: end)
        #expect(released.contains(.end(.key)))
        let lines = released.compactMap { if case .log(let line) = $0 { line } else { nil } }
        #expect(lines.count == 1)
    }

    @Test func `in a call a click, and the key, talk to those who record`() {
        var indicator = Indicator()
        let call = Status(isAudioServerReady: true, timeLimit: 60, virtualMicrophone: .recorded(by: ["OBS"]))
        _ = indicator.handle(.coreStatus(call), at: Self.now)
        #expect(indicator.handle(.panelActivated, at: Self.now) == [.begin(.panel, nil)])
        #expect(indicator.handle(.key(.pressed), at: Self.now).contains(.begin(.key, nil)))
        let began = Self.transmission(TalkOrigin.panel.origin)
        _ = indicator.handle(.core(.transmissionBegan(transmission: began)), at: Self.now)
        #expect(indicator.handle(.panelActivated, at: Self.now) == [.stop(nil)])
        #expect(indicator.handle(.menuClicked(.leave), at: Self.now) == [])
        let end = Self.now + Indicator.pause.nothingToShow
        let ended = indicator.handle(
            .core(.virtualMicrophoneChanged(virtualMicrophone: .idle)),
            at: Self.now
        )
        #expect(ended.contains(.arm(at: end)))
        #expect(indicator.handle(.timerFired, at: end).contains(.exit(.nothingToShow)))
    }

    @Test func `without a channel and a call a click does nothing`() {
        var indicator = Indicator()
        _ = indicator.handle(.coreStatus(Status(timeLimit: 60)), at: Self.now)
        #expect(indicator.handle(.panelActivated, at: Self.now) == [])
        #expect(indicator.handle(.menuClicked(.leave), at: Self.now) == [])
    }

    @Test func `the program ends some seconds after the channel was left, unless one is joined`() throws {
        var (indicator, _) = try Self.joined()
        let end = Self.now + Indicator.pause.nothingToShow
        let left = indicator.handle(
            .core(.channelLeft(leaveReason: .userRequest, explanation: nil)),
            at: Self.now
        )
        #expect(left.contains(.arm(at: end)))
        var other = indicator
        #expect(indicator.handle(.timerFired, at: end).contains(.exit(.nothingToShow)))

        let channel = try #require(try Self.status("Other").channel)
        let joined = other.handle(
            .core(.channelJoined(channel: channel, joinReason: .developerRequest)),
            at: Self.now
        )
        #expect(joined.contains(.disarm))
        #expect(Self.panel(joined)?.title == "Other")
        #expect(other.handle(.timerFired, at: end) == [])
    }

    @Test func `a core that is gone is what is wrong, and after a while the program ends`() throws {
        var (indicator, _) = try Self.joined()
        let lost = indicator.handle(.coreLost, at: Self.now)
        let item = try #require(Self.panel(lost))
        #expect(item.title == "Radio")
        #expect(item.state == .active)
        #expect(item.menu.first { $0.id == .problem }?.isVisible == true)
        #expect(item.menu.first { $0.id == .talk }?.isEnabled == false)
        let end = Self.now + Indicator.pause.coreGone
        #expect(lost.last == .arm(at: end))
        #expect(indicator.handle(.timerFired, at: end).contains(.exit(.coreGone)))
    }

    @Test func `a refusal is shown until something happens`() throws {
        var (indicator, _) = try Self.joined()
        let refusal = Refusal(.callActive, "a call\nis active")
        let refused = indicator.handle(
            .core(.transmissionRefused(origin: TalkOrigin.panel.origin, refusal: refusal)),
            at: Self.now
        )
        let problem = Self.panel(refused)?.menu.first { $0.id == .problem }
        #expect(problem?.label == "a call is active")
        #expect(problem?.isVisible == true)
        let began = Self.transmission(TalkOrigin.panel.origin)
        let next = indicator.handle(.core(.transmissionBegan(transmission: began)), at: Self.now)
        #expect(Self.panel(next)?.menu.first { $0.id == .problem }?.isVisible == false)
    }

    @Test func `a refusal with a name in it is shown in the language of the person, unless it has to be cut`()
        throws
    {
        for (name, isWhole) in [("Ann", true), (String(repeating: "A", count: 200), false)] {
            var (indicator, _) = try Self.joined()
            let refused = CoreEvent.transmissionRefused(
                origin: TalkOrigin.panel.origin,
                refusal: Refusal(.transmissionNotAllowed, Text("\(name) talks"))
            )
            let effects = indicator.handle(.core(refused), at: Self.now)
            let label = try #require(Self.panel(effects)?.menu.first { $0.id == .problem }?.label)
            var asked: [String] = []
            _ = label.translated { format in
                asked.append(format)
                return format
            }
            #expect(asked == (isWhole ? ["%1$s talks"] : []))
            #expect(label.english.hasPrefix(name.prefix(100)))
        }
    }

    private static func problem(_ effects: [Indicator.Effect]) -> String? {
        panel(effects)?.menu.first { $0.id == .problem && $0.isVisible }?.label.english
    }

    @Test(arguments: [
        (OriginKind.wiredHeadset, true), (.bluetoothButton, true), (.inputDevice, true),
        (.commandLine, false), (.application, false),
    ]) func `the refusal of a button is shown, and that of another program is not`(
        kind: OriginKind,
        isShown: Bool
    ) throws {
        var (indicator, _) = try Self.joined()
        let refusal = CoreEvent.transmissionRefused(
            origin: Origin(kind: kind, identifier: "x", name: "X"),
            refusal: Refusal(.callActive, "a call is active")
        )
        let refused = indicator.handle(.core(refusal), at: Self.now)
        #expect(Self.problem(refused) == (isShown ? "a call is active" : nil))
        #expect(!isShown || refused.contains { if case .showPanel = $0 { true } else { false } })
    }

    @Test func `a press that the application handles itself is not refused`() throws {
        var indicator = Indicator()
        var status = try Self.status()
        status.channel?.areAccessoryEventsEnabled = false
        _ = indicator.handle(.coreStatus(status), at: Self.now)
        let refusal = CoreEvent.transmissionRefused(
            origin: Origin(kind: .bluetoothButton, identifier: "b", name: "Button"),
            refusal: Refusal(.transmissionNotAllowed, "the application handles accessory buttons itself")
        )
        #expect(indicator.handle(.core(refusal), at: Self.now) == [])
    }

    @Test func `the time limit, a latch and a lost button are shown as text, until the next transmission`()
        throws
    {
        var (indicator, _) = try Self.joined()
        let button = Origin(kind: .bluetoothButton, identifier: "b", name: "Button")
        let began = CoreEvent.transmissionBegan(transmission: Self.transmission(button))
        _ = indicator.handle(.core(began), at: Self.now)
        let near = indicator.handle(.core(.timeLimitNear(secondsLeft: 10)), at: Self.now)
        #expect(Self.problem(near) == "The time limit ends this in 10 s")
        let latched = CoreEvent.transmissionLatched(transmission: Self.transmission(button))
        let stays = indicator.handle(.core(latched), at: Self.now)
        #expect(Self.problem(stays) == "The microphone stays open until the next press")
        let lost = CoreEvent.transmissionEnded(
            transmission: Self.transmission(button),
            cause: .linkLost,
            endedBy: .unknown
        )
        let ended = indicator.handle(.core(lost), at: Self.now)
        #expect(Self.problem(ended) == "It ended: the link to the button was lost")
        #expect(Self.problem(indicator.handle(.core(began), at: Self.now)) == nil)
        let released = CoreEvent.transmissionEnded(
            transmission: Self.transmission(button),
            cause: .released,
            endedBy: .handsfreeButton
        )
        #expect(Self.problem(indicator.handle(.core(released), at: Self.now)) == nil)
    }

    @Test func `a picture is shown when it is ready, or fetched again on the next connection`() throws {
        var (indicator, _) = try Self.joined()
        let participant = Participant(name: "Anna", image: ImageSummary(imageID: "anna", byteCount: 1))
        let speaks = Indicator.Event.core(.participantChanged(participant: participant))
        let effects = indicator.handle(speaks, at: Self.now)
        #expect(effects.contains(.fetchImage("anna")))
        #expect(Self.panel(effects)?.icon == .speaker && Self.panel(effects)?.imageID == nil)
        _ = indicator.handle(.coreLost, at: Self.now)
        var status = try Self.status()
        status.channel?.participant = participant
        #expect(indicator.handle(.coreStatus(status), at: Self.now).contains(.fetchImage("anna")))
        let ready = indicator.handle(.imageReady("anna"), at: Self.now)
        #expect(Self.panel(ready)?.icon == .speaker && Self.panel(ready)?.imageID == "anna")
    }

    @Test func `few pictures are kept`() throws {
        var (indicator, _) = try Self.joined()
        var kept: Set<String> = []
        for number in 0..<50 {
            let image = ImageSummary(imageID: "\(number)", byteCount: 1)
            let speaks = CoreEvent.participantChanged(participant: Participant(name: "Anna", image: image))
            for effect in indicator.handle(.core(speaks), at: Self.now) {
                switch effect {
                case .fetchImage(let imageID): kept.insert(imageID)
                case .dropImage(let imageID): kept.remove(imageID)
                default: break
                }
            }
            #expect(kept.contains("\(number)"))
        }
        #expect(kept.count == 4)
    }

    @Test func `an event that shows nothing has no effect`() throws {
        var (indicator, _) = try Self.joined()
        for event in [
            CoreEvent.volumeChanged(volume: 50), .audioActivating, .audioActivated,
            .recordersChanged(recorders: ["x"]),
        ] {
            #expect(indicator.handle(.core(event), at: Self.now) == [])
        }
    }
}

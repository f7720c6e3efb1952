import PTTMessages

@testable import PTTCore

/// The events that the exhaustive and the random tests draw from: two channels, an application that can be
/// started and attaches up to three times, one that cannot be started, a program that does not attach,
/// ptt-accessoryd with two buttons, and the command line.
enum TestEvents {
    static let channel = ChannelID(randomBytes: (0xA, 0xA))
    static let other = ChannelID(randomBytes: (0xB, 0xB))
    static let radio = ClientID(rawValue: 1)
    static let intercom = ClientID(rawValue: 2)
    static let accessoryd = ClientID(rawValue: 3)
    static let commandLine = ClientID(rawValue: 4)
    static let program = ClientID(rawValue: 5)
    static let recorder = ClientID(rawValue: 8)
    /// Another process of Radio.
    static let secondRadio = ClientID(rawValue: 6)
    /// A second connection of the process of `radio`, which attaches again.
    static let radioAgain = ClientID(rawValue: 7)
    static let radios = [radio, secondRadio, radioAgain]
    static let radioID = ApplicationID(rawValue: "org.example.Radio")
    static let oldID = ApplicationID(rawValue: "Old")
    static let intercomID = ApplicationID(rawValue: "org.example.Intercom")
    static let activation = Activation(kind: .systemdUnit, name: "radio.service")
    static let button = Origin(kind: .bluetoothButton, identifier: "A4:C1:38:00:00:01", name: "PTT-Z01")
    static let headset = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
    static let format = AudioFormat(rate: 16_000, channels: 1)
    static let radioItself = Origin(kind: .application, identifier: "42", name: "Radio")
    static let programItself = Origin(kind: .application, identifier: "45", name: "Old")
    static let person = Origin(kind: .commandLine, identifier: "77", name: "pttctl")
    static let request = RequestID(rawValue: 1)
    /// Generated when Radio attaches.
    static let radioToken = PushToken(rawValue: "aaaa")
    static let secondToken = PushToken(rawValue: "dddd")
    static let tokenAgain = PushToken(rawValue: "eeee")
    static let intercomToken = PushToken(rawValue: "bbbb")
    /// Generated with each join.
    static let joinToken = PushToken(rawValue: "cccc")
    static let picture = "iVBORw=="
    static let ann = ApplicationInterface.Speaker(name: "Ann")
    static let bob = ApplicationInterface.Speaker(name: "Bob", image: picture)

    static func attachRadio(
        inFront isForeground: Bool? = nil,
        _ client: ClientID = radio,
        _ token: PushToken = radioToken
    ) -> TalkSession.Event {
        .request(
            request,
            from: client,
            .attach(
                .init(identifier: radioID, name: "Radio", activation: activation, isForeground: isForeground),
                processID: client == secondRadio ? 47 : 42,
                newToken: token
            )
        )
    }

    static let attachIntercom = TalkSession.Event.request(
        request,
        from: intercom,
        .attach(
            .init(identifier: intercomID, name: "Intercom", format: AudioFormat(rate: 16_000, channels: 2)),
            processID: 43,
            newToken: intercomToken
        )
    )

    static func join(_ client: ClientID, _ channelID: ChannelID? = channel, as application: String? = nil)
        -> TalkSession.Event
    {
        .request(
            request,
            from: client,
            .join(
                .init(channelID: channelID, name: "Ops", application: application),
                processID: 40 + client.rawValue,
                newChannelID: other,
                newToken: joinToken
            )
        )
    }

    static func begin(
        _ origin: Origin,
        by client: ClientID = accessoryd,
        _ source: TransmitSource = .handsfreeButton,
        in channelID: ChannelID? = nil,
        role: ButtonRole = .talk
    ) -> TalkSession.Event {
        .request(
            request,
            from: client,
            .begin(.init(channelID: channelID, source: source, origin: origin, role: role))
        )
    }

    static func record(
        _ origin: Origin = button,
        by client: ClientID = recorder,
        role: ButtonRole = .secondTalk
    ) -> TalkSession.Event {
        .request(
            request,
            from: client,
            .begin(
                .init(
                    channelID: nil,
                    source: .handsfreeButton,
                    origin: origin,
                    role: role,
                    recording: format
                )
            )
        )
    }

    static func end(
        _ origin: Origin?,
        by client: ClientID = accessoryd,
        _ cause: EndCause? = nil,
        role: ButtonRole? = nil
    ) -> TalkSession.Event {
        .request(request, from: client, .end(.init(channelID: nil, origin: origin, cause: cause, role: role)))
    }

    static func latch(
        _ origin: Origin,
        by client: ClientID = accessoryd,
        role: ButtonRole = .talk
    ) -> TalkSession.Event {
        .request(request, from: client, .latch(.init(channelID: nil, origin: origin, role: role)))
    }

    static func report(
        _ role: ButtonRole,
        isPressed: Bool,
        by client: ClientID = accessoryd
    ) -> TalkSession.Event {
        .request(
            request,
            from: client,
            .report(.init(channelID: nil, origin: button, role: role, isPressed: isPressed))
        )
    }

    static func foreground(_ isForeground: Bool, by client: ClientID = radio) -> TalkSession.Event {
        .request(request, from: client, .setForeground(.init(isForeground: isForeground)))
    }

    static func leave(_ channelID: ChannelID?, by client: ClientID) -> TalkSession.Event {
        .request(request, from: client, .leave(.init(channelID: channelID)))
    }

    static func describe(
        _ name: String,
        _ image: String? = nil,
        in channelID: ChannelID? = nil,
        by client: ClientID
    ) -> TalkSession.Event {
        .request(request, from: client, .setDescriptor(.init(channelID: channelID, name: name, image: image)))
    }

    static func status(_ status: ServiceStatus, by client: ClientID = radio) -> TalkSession.Event {
        .request(request, from: client, .setServiceStatus(.init(channelID: nil, status: status)))
    }

    static func mode(
        _ mode: TransmissionMode,
        by client: ClientID = radio,
        _ channelID: ChannelID? = nil
    ) -> TalkSession.Event {
        .request(request, from: client, .setTransmissionMode(.init(channelID: channelID, mode: mode)))
    }

    static func accessories(_ isEnabled: Bool) -> TalkSession.Event {
        .request(request, from: radio, .setAccessoryEvents(.init(channelID: nil, isEnabled: isEnabled)))
    }

    static func speaker(_ speaker: ApplicationInterface.Speaker?, by client: ClientID = radio)
        -> TalkSession.Event
    {
        .request(request, from: client, .setParticipant(.init(channelID: nil, participant: speaker)))
    }

    static func push(
        _ token: PushToken,
        to application: ApplicationID = radioID,
        isServiceUpdate: Bool = false,
        priority: Int = 10
    ) -> TalkSession.Event {
        .pushSent(
            request,
            PushEnvelope(
                request: .init(
                    token: token,
                    topic: application.rawValue + ".voip-ptt",
                    type: "pushtotalk",
                    priority: priority,
                    expiration: 0,
                    payload: "  "
                ),
                content: .readable(isServiceUpdate: isServiceUpdate),
                arrived: 0
            )
        )
    }

    static func finish(
        _ push: Int,
        _ result: ApplicationInterface.PushResult,
        set speaker: ApplicationInterface.Speaker? = nil,
        ends: Bool = false,
        by client: ClientID = radio
    ) -> TalkSession.Event {
        .request(
            request,
            from: client,
            .finishPush(
                .init(
                    pushID: PushID(rawValue: push),
                    result: result,
                    participant: speaker,
                    endsTransmission: ends
                )
            )
        )
    }

    static let restored = TalkSession.Event.restored(
        SavedChannel(
            channelID: channel,
            owner: Owner(identifier: radioID, name: "Radio", activation: activation),
            pushToken: radioToken,
            transmissionMode: .halfDuplex,
            areAccessoryEventsEnabled: true
        ),
        descriptor: nil
    )

    static let recorded = TalkSession.Event.virtualMicrophoneChanged(.recorded(by: ["Mumble"]))

    static let call = TalkSession.Event.callChanged(ActiveCall(source: "ModemManager", name: "Ann"))

    static func volume(_ percent: Int) -> TalkSession.Event {
        .request(request, from: commandLine, .setVolume(.init(volume: percent)))
    }

    static let events = labelled.map(\.value)
    /// One event of each kind, for the longer sequences.
    static let fewer = labelled.filter { few.contains($0.key) }.map(\.value)
}

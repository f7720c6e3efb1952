/// `org.pushtotalk.Channel` on the core's socket: the text of the interface, its methods and their messages.
package enum ChannelInterface {
    package static let name = "org.pushtotalk.Channel"

    /// The interface text, the reply to `org.varlink.service.GetInterfaceDescription`. It stays within the
    /// grammar that the parsers of both systemd and Python accept.
    package static let description = """
        # The channel of this machine, its transmissions and its audio session.
        #
        # There is at most one channel and at most one transmission. A transmission belongs to the connection that began
        # it: when the connection closes, it ends. Published versions of this interface are never changed incompatibly;
        # fields may be added, and a client must accept values that it does not know.
        interface \(name)

        \(types)

        \(CoreEvent.declaration)

        # callID: see org.pushtotalk.Application; without effect for other clients than applications.

        # Joins a channel. An attached application (org.pushtotalk.Application) joins as itself. Any other client that
        # gives an application name becomes the channel's application and receives a token for the audio socket, but no
        # pushToken; when its connection closes, the channel stays, without an application, and the application may join
        # it again by its channelID. Without a name the channel has no application. Such channels are there until a
        # reboot; that of an attached application is on disk. image: base64 of a PNG, JPEG, GIF or
        # WebP file of at most \(Image.sizeLimit / 1024) KiB; any other is ignored.
        method Join(channelID: ?string, name: string, application: ?string, format: ?AudioFormat, image: ?string,
          callID: ?int) ->
          (channelID: string, token: ?string, format: AudioFormat, pushToken: ?string)

        # Leaves the channel. A transmission ends first.
        method Leave(channelID: ?string, callID: ?int) -> ()

        # Changes the name and the image of the channel; without an image, it is removed.
        method SetDescriptor(channelID: ?string, name: string, image: ?string, callID: ?int) -> ()

        # The image of the channel or of its participant, in base64.
        method GetImage(imageID: string) -> (image: string)

        # Begins a transmission for an origin. The reply comes before audio is active; audioActivated follows. role: the
        # button that was pressed; without it, talk. One that does not transmit, or that this version does not know, is
        # refused. An emergency ends another transmission, which is not one, with the cause preempted, and
        # begins also while a participant talks in half duplex: until it ends, the participant is not played. Every other
        # refusal, and the time limit, hold for it too.
        method BeginTransmitting(channelID: ?string, source: Source, origin: Origin, callID: ?int, role: ?ButtonRole) ->
          (transmissionID: int)

        # Reports that an origin was released, which ends its transmission and allows it a new one after a time-out.
        # Without an origin, ends any transmission. role: only this button of the origin was released; without it, or with
        # one that this version does not know, all of them were.
        method EndTransmitting(channelID: ?string, origin: ?Origin, cause: ?EndCause, callID: ?int, role: ?ButtonRole) -> ()

        # Reports to the channel's application (org.pushtotalk.Application, buttonPressed and buttonReleased) that a button
        # that does not transmit was pressed or released. One that is still pressed when the connection closes counts as
        # released.
        method ReportButton(channelID: ?string, origin: Origin, role: ButtonRole, isPressed: bool, callID: ?int) -> ()

        # How loud the other end is heard, in percent of the system's volume: 0 to 150, and 100 at first. It is kept over
        # restarts.
        method SetVolume(volume: int, callID: ?int) -> ()

        # Reports that the battery of an accessory is low, which plays a tone unless a transmission is in progress.
        method ReportBattery(origin: Origin, percent: int, callID: ?int) -> ()

        # Call with "more". A reply has the levels of what has passed since the one before: the root mean square in dB of
        # full scale, at least \(LevelReport.floor); without a member, nothing has passed. At most ten replies a second, and none while
        # neither the microphone nor the speaker is open.
        method SubscribeLevels() -> (microphone: ?float, speaker: ?float)

        # Removes the Push-to-Talk Microphone from the audio server, until the core starts again. Refused while an
        # application records from it, because the audio server would let it record the real microphone then.
        method RemoveVirtualMicrophone() -> ()

        method GetStatus() -> (status: Status, unheardDevices: ?[]UnheardDevice)

        # Call with "more". The first reply has the status, each later one has one event. sequence grows by one with
        # each event; time is in microseconds of the monotonic clock.
        method Subscribe() -> (sequence: int, time: int, status: ?Status, event: ?Event)

        \(Refusal.errorDeclaration)

        error ImageNotFound (imageID: string)

        # The client did not read fast enough and must subscribe again.
        error SubscriberLagged ()
        """

    private static var types: String {
        [
            TransmitSource.declaration,
            OriginKind.declaration,
            Origin.declaration,
            ButtonRole.declaration,
            EndCause.declaration,
            RefusalCode.declaration,
            Refusal.declaration,
            JoinReason.declaration,
            LeaveReason.declaration,
            ServiceStatus.declaration,
            TransmissionMode.declaration,
            AudioState.declaration,
            AudioFormat.declaration,
            Application.declaration(as: "Application"),
            ImageSummary.declaration,
            Participant.declaration,
            Channel.declaration(application: "Application"),
            Transmission.declaration,
            VirtualMicrophone.State.declaration,
            VirtualMicrophone.declaration,
            ActiveCall.declaration,
            MicrophoneState.declaration,
            UnheardDevice.declaration,
            Status.declaration,
            Interruption.declaration,
            PushOutcome.declaration,
        ].joined(separator: "\n\n")
    }

    package static let join = InterfaceMethod<JoinRequest, JoinReply>("Join", of: name)
    package static let leave = InterfaceMethod<LeaveRequest, NoParameters>("Leave", of: name)
    package static let setDescriptor = InterfaceMethod<DescriptorRequest, NoParameters>(
        "SetDescriptor",
        of: name
    )
    package static let getImage = InterfaceMethod<ImageRequest, ImageReply>("GetImage", of: name)
    package static let beginTransmitting = InterfaceMethod<BeginRequest, BeginReply>(
        "BeginTransmitting",
        of: name
    )
    package static let endTransmitting = InterfaceMethod<EndRequest, NoParameters>(
        "EndTransmitting",
        of: name
    )
    package static let reportButton = InterfaceMethod<ButtonReport, NoParameters>("ReportButton", of: name)
    package static let setVolume = InterfaceMethod<VolumeRequest, NoParameters>("SetVolume", of: name)
    package static let reportBattery = InterfaceMethod<BatteryReport, NoParameters>(
        "ReportBattery",
        of: name
    )
    package static let subscribeLevels = InterfaceMethod<NoParameters, LevelReport>(
        "SubscribeLevels",
        of: name
    )
    package static let removeVirtualMicrophone = InterfaceMethod<NoParameters, NoParameters>(
        "RemoveVirtualMicrophone",
        of: name
    )
    package static let getStatus = InterfaceMethod<NoParameters, StatusReply>("GetStatus", of: name)
    package static let subscribe = InterfaceMethod<NoParameters, Update>("Subscribe", of: name)

    /// The error with a ``Refusal`` as its parameters.
    package static let refused = "\(name).Refused"
    /// Neither the channel nor its participant has the requested image.
    package static let imageNotFound = "\(name).ImageNotFound"
}

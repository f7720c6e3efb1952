/// `org.pushtotalk.Channel` on the core's socket: its methods and their messages.
package enum ChannelInterface {
    package static let name = "org.pushtotalk.Channel"

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
    package static let reportLatch = InterfaceMethod<LatchReport, NoParameters>("ReportLatch", of: name)
    package static let reportButton = InterfaceMethod<ButtonReport, NoParameters>("ReportButton", of: name)
    package static let setVolume = InterfaceMethod<VolumeRequest, NoParameters>("SetVolume", of: name)
    package static let reportBattery = InterfaceMethod<BatteryReport, NoParameters>("ReportBattery", of: name)
    package static let subscribeLevels = InterfaceMethod<NoParameters, LevelReport>(
        "SubscribeLevels",
        of: name
    )
    package static let removeVirtualMicrophone = InterfaceMethod<NoParameters, NoParameters>(
        "RemoveVirtualMicrophone",
        of: name
    )
    package static let getStatus = InterfaceMethod<NoParameters, StatusReply>("GetStatus", of: name)
    package static let subscribe = InterfaceMethod<SubscribeRequest, Update>("Subscribe", of: name)

    /// The error with a ``Refusal`` as its parameters.
    package static let refused = "\(name).Refused"
    /// Neither the channel nor its participant has the requested image.
    package static let imageNotFound = "\(name).ImageNotFound"
}

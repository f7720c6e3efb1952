import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// `org.pushtotalk.Channel`
extension CoreService {
    func takeChannelCall(_ call: VarlinkCall) throws(VarlinkError) {
        switch call.method {
        case "Join":
            let request: ChannelInterface.JoinRequest = try call.request()
            let processID = Int(call.connection.processID)
            var generator = SystemRandomNumberGenerator()
            let channelID = ChannelID(randomBytes: (generator.next(), generator.next()))
            self.request(
                .join(request, processID: processID, newChannelID: channelID, newToken: .draw()),
                for: call
            )
        case "Leave":
            let request: ChannelInterface.LeaveRequest = try call.request()
            self.request(.leave(request), for: call)
        case "SetDescriptor":
            let request: ChannelInterface.DescriptorRequest = try call.request()
            self.request(.setDescriptor(request), for: call)
        case "BeginTransmitting":
            let request = try call.decode { ChannelInterface.BeginRequest(usual: $0) }
            self.request(.begin(request), for: call)
        case "EndTransmitting":
            let request = try call.decode { ChannelInterface.EndRequest(usual: $0) }
            self.request(.end(request), for: call)
        case "GetStatus":
            note(nil, for: call)
            call.reply(statusReply())
        case "GetImage":
            try giveImage(call)
        case "Subscribe":
            try subscribe(call)
        default:
            // The server answers methods that the interface text does not have.
            call.fail(.methodNotFound("\(call.interface).\(call.method)"))
        }
    }

    private func giveImage(_ call: VarlinkCall) throws(VarlinkError) {
        let request: ChannelInterface.ImageRequest = try call.decode()
        guard let image = host.image(request.imageID) else {
            throw VarlinkError(ChannelInterface.imageNotFound, encoded(request))
        }
        note(nil, for: call)
        call.reply(encoded(ChannelInterface.ImageReply(image: image.base64)))
    }
}

extension PushToken {
    /// Of a length that varies, as Apple's documentation of `receivedEphemeralPushToken` promises.
    static func draw() -> PushToken { PushToken(rawValue: Token.draw(words: 4...6)) }
}

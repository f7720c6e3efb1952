import EventLoop
import JSON
import PTTCore
import PTTMessages
import Varlink

/// `org.pushtotalk.Channel`
extension CoreService {
    static var channelRoutes: [Route] {
        [
            .request(ChannelInterface.join) { request, call in
                .join(
                    request,
                    processID: Int(call.connection.processID),
                    newChannelID: .random(),
                    newToken: .random()
                )
            },
            .request(ChannelInterface.leave) { request, _ in .leave(request) },
            .request(ChannelInterface.setDescriptor) { request, _ in .setDescriptor(request) },
            .pressRequest(ChannelInterface.beginTransmitting) { request, _ in .begin(request) },
            .pressRequest(ChannelInterface.endTransmitting) { request, _ in .end(request) },
            .direct(ChannelInterface.getStatus) { service, call in service.getStatus(call) },
            .direct(ChannelInterface.getImage) { service, call throws(VarlinkError) in
                try service.getImage(call)
            },
            .direct(ChannelInterface.subscribe) { service, call throws(VarlinkError) in
                try service.subscribe(call)
            },
        ]
    }

    private func getStatus(_ call: VarlinkCall) {
        notifyCaller(of: call, refusal: nil)
        call.reply(statusReply())
    }

    private func getImage(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ChannelInterface.ImageRequest.self)
        guard let image = host.image(request.imageID) else {
            throw VarlinkError(ChannelInterface.imageNotFound, .encoding(request))
        }
        notifyCaller(of: call, refusal: nil)
        call.reply(.encoding(ChannelInterface.ImageReply(image: image.base64)))
    }
}

extension ChannelID {
    fileprivate static func random() -> ChannelID {
        var generator = SystemRandomNumberGenerator()
        return ChannelID(randomBytes: (generator.next(), generator.next()))
    }
}

import EventLoop
import IndicatorCore
import Logging
import PTTMessages
import ServiceClient

/// The requests of the panel and the key to the core, and its reports. Whatever they have begun ends with
/// this process.
@EventLoop
final class CoreRequests {
    private let log: Logger
    private let core: CoreConnection

    /// `post` is told of every update of the core, and of its loss.
    init(log: Logger, post: @escaping @EventLoop (Indicator.Event) -> Void) {
        self.log = log
        core = CoreConnection(
            updated: { update in
                if let status = update.status { post(.coreStatus(status)) }
                if let event = update.event { post(.core(event)) }
            },
            lost: { _ in post(.coreLost) },
            failed: { log.debug("\($0)") },
            unwatchable: { log.debug("the core's socket cannot be watched: \($0)") }
        )
    }

    func start() { core.start() }

    func close() { core.close() }

    // MARK: - Requests

    func begin(_ origin: TalkOrigin, in channelID: ChannelID?) {
        let request = ChannelInterface.BeginRequest(
            channelID: channelID,
            source: .userRequest,
            origin: origin.origin
        )
        // A refusal is among the events as well, which show it.
        send(ChannelInterface.beginTransmitting, request, "begin by \(origin)")
    }

    func end(_ origin: TalkOrigin) {
        let request = ChannelInterface.EndRequest(channelID: nil, origin: origin.origin, cause: .released)
        send(ChannelInterface.endTransmitting, request, "end by \(origin)")
    }

    /// Ends the transmission, whatever began it.
    func stop(_ channelID: ChannelID?) {
        let request = ChannelInterface.EndRequest(channelID: channelID, origin: nil, cause: .stopped)
        send(ChannelInterface.endTransmitting, request, "stop")
    }

    func leave(_ channelID: ChannelID) {
        send(ChannelInterface.leave, ChannelInterface.LeaveRequest(channelID: channelID), "leave")
    }

    /// Fetches a picture. `then` is called once, with nil if the core does not have it any more, or is lost.
    func image(_ imageID: String, then: @escaping @EventLoop (Image?) -> Void) {
        guard let requests = core.requests else { return then(nil) }
        let request = ChannelInterface.ImageRequest(imageID: imageID)
        requests.call(ChannelInterface.getImage, request) { [log] result in
            do {
                then(try Image(base64: result.get().image))
            } catch {
                log.debug("image \(imageID): \(error)")
                then(nil)
            }
        }
    }

    private func send<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ request: Request,
        _ action: String
    ) {
        core.requests?.call(method, request) { [log] result in
            // What it asked for may have ended before, and a refused Talk is shown.
            if case .failure(let error) = result { log.debug("\(action): \(error)") }
        }
    }
}

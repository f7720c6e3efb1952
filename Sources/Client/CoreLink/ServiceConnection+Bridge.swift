internal import EventLoop
public import PTTMessages

/// The methods of `org.pushtotalk.Accessory`; ``AccessoryInterface/description`` says what each does.
extension ServiceConnection {
    private func bridge(_ method: String) -> String { "\(AccessoryInterface.name).\(method)" }

    public func devices() async throws(LinkError) -> AccessoryInterface.DevicesReply {
        try await call(bridge("GetDevices"), NoParameters())
    }

    /// Takes as long as connecting and bonding do.
    public func pair(_ address: String) async throws(LinkError) -> AccessoryInterface.PairReply {
        try await call(
            bridge("Pair"),
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(120)
        )
    }

    public func forget(_ address: String) async throws(LinkError) {
        let _: NoParameters = try await call(
            bridge("Forget"),
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(30)
        )
    }

    /// Scans until the time is over or this connection closes.
    ///
    /// - Parameters:
    ///   - seconds: 1 to 120.
    ///   - handler: Called per device found, or found again.
    ///   - ended: Told once: nil when the time is over.
    public func scan(
        seconds: Int,
        _ handler: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
        ended: @escaping @EventLoop (LinkError?) -> Void
    ) {
        subscribe(
            bridge("Scan"),
            AccessoryInterface.ScanRequest(seconds: seconds),
            timeLimit: .seconds(seconds + 30),
            { (reply: AccessoryInterface.ScanReply) in
                if let device = reply.device { handler(device) }
            },
            ended: ended
        )
    }

    /// Follows the bridge: the first update has all devices, each that follows an event.
    public func subscribe(
        _ handler: @escaping @EventLoop (AccessoryInterface.Update) -> Void,
        ended: @escaping @EventLoop (LinkError) -> Void
    ) {
        let socket = socket
        subscribe(bridge("Subscribe"), NoParameters(), handler) {
            ended($0 ?? .lost(socket, reason: "the subscription ended"))
        }
    }
}

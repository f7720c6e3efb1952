import EventLoop
package import PTTMessages

/// The methods of `org.pushtotalk.Accessory`; ``AccessoryInterface/description`` says what each does.
extension ServiceConnection {
    package func devices() async throws(ServiceError) -> AccessoryInterface.DevicesReply {
        try await call(AccessoryInterface.getDevices, NoParameters())
    }

    /// Returns after connecting and bonding, within two minutes.
    package func pair(_ address: String) async throws(ServiceError) -> AccessoryInterface.PairReply {
        try await call(
            AccessoryInterface.pair,
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(120)
        )
    }

    /// Pairs a device, and observes a press of it.
    ///
    /// - Parameters:
    ///   - request: The device to pair.
    ///   - handler: Called for each step.
    ///   - ended: Called once, with nil after the last step.
    package func pairAndTest(
        _ request: AccessoryInterface.PairAndTestRequest,
        _ handler: @escaping @EventLoop (AccessoryInterface.PairAndTestReply) -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) {
        subscribe(AccessoryInterface.pairAndTest, request, handler, ended: ended)
    }

    /// - Returns: A note of what could not be done, for people; nil if everything was.
    package func forget(_ address: String) async throws(ServiceError) -> String? {
        try await call(
            AccessoryInterface.forget,
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(30)
        ).remark
    }

    /// Scans until the time is over or this connection closes.
    ///
    /// - Parameters:
    ///   - seconds: Within ``AccessoryInterface/ScanRequest/limits``.
    ///   - handler: Called for each device, and again when it changes.
    ///   - ended: Called once, with nil when the time is over.
    package func scan(
        seconds: Int,
        _ handler: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) {
        subscribe(
            AccessoryInterface.scan,
            AccessoryInterface.ScanRequest(seconds: seconds),
            timeLimit: .seconds(seconds + 30),
            { (reply: AccessoryInterface.ScanReply) in
                if let device = reply.device { handler(device) }
            },
            ended: ended
        )
    }

    /// Listens to a device until this connection closes, see ``AccessoryInterface/learn``. `ended` is called
    /// once.
    package func learn(
        _ device: String,
        _ handler: @escaping @EventLoop (AccessoryInterface.LearnReply) -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) {
        let request = AccessoryInterface.LearnRequest(device: device)
        subscribe(AccessoryInterface.learn, request, timeLimit: .seconds(90), handler, ended: ended)
    }

    /// Subscribes to ptt-accessoryd's events. The first update has all devices, each later one an event.
    /// `ended` is called once.
    package func subscribe(
        _ handler: @escaping @EventLoop (AccessoryInterface.Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        follow(AccessoryInterface.subscribe, NoParameters(), handler, ended: ended)
    }
}

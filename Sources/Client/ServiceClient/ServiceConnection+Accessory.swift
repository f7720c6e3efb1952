import EventLoop
package import PTTMessages

/// The methods of `org.pushtotalk.Accessory`; ``AccessoryInterface/description`` says what each does.
extension ServiceConnection {
    package func devices() async throws(ServiceError) -> AccessoryInterface.DevicesReply {
        try await call(AccessoryInterface.getDevices, NoParameters())
    }

    /// Takes as long as connecting and bonding do.
    package func pair(_ address: String) async throws(ServiceError) -> AccessoryInterface.PairReply {
        try await call(
            AccessoryInterface.pair,
            AccessoryInterface.AddressRequest(address: address),
            timeLimit: .seconds(120)
        )
    }

    package func forget(_ address: String) async throws(ServiceError) {
        _ = try await call(
            AccessoryInterface.forget,
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

    /// Follows ptt-accessoryd: the first update has all devices, each that follows an event.
    package func subscribe(
        _ handler: @escaping @EventLoop (AccessoryInterface.Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        let socket = socket
        subscribe(AccessoryInterface.subscribe, NoParameters(), handler) {
            ended($0 ?? .lost(socket, reason: "the subscription ended"))
        }
    }
}

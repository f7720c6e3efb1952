import EventLoop

extension BusConnection {
    /// Connects and calls `Hello`. `timeout` applies to the connection, and again to authentication and
    /// `Hello` together.
    ///
    /// - Returns: A connection that has its unique name.
    /// - Throws: If there is no listener, the bus refuses, or it does not answer within `timeout`.
    package static func open(_ address: BusAddress, timeout: Duration = .seconds(5)) async throws(BusError)
        -> BusConnection
    {
        let result = await withCheckedContinuation { continuation in
            open(address, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same with a completion, which is called once, after this has returned.
    static func open(
        _ address: BusAddress,
        timeout: Duration,
        completion: @escaping @EventLoop (Result<BusConnection, BusError>) -> Void
    ) {
        connect(to: address, timeout: timeout) { result in
            guard case .success(let connection) = result else { return completion(result) }
            // A strong reference: the timeout ends the cycle.
            connection.call(.bus("Hello"), timeout: timeout) { answer in
                switch answer {
                case .success(let values):
                    connection.uniqueName = values.first?.asString ?? ""
                    completion(.success(connection))
                case .failure(let error):
                    connection.close()
                    completion(.failure(error.trying("connect to \(address)")))
                }
            }
        }
    }

    /// Requests a well-known name, without queueing for it. If the bus does not answer, the connection fails
    /// (``onLost``): whether it has the name, or gets it later, would not be known.
    ///
    /// - Returns: True if this connection owns the name now, or did already; false if another one owns it.
    /// - Throws: `AccessDenied` if the policy of the bus forbids it.
    package func requestName(_ name: String) async throws(BusError) -> Bool {
        let values: [BusValue]
        do throws(BusError) {
            // DBUS_NAME_FLAG_DO_NOT_QUEUE (D-Bus specification, "RequestName").
            values = try await call(.bus("RequestName", .string(name), .uint32(4)))
        } catch {
            if error.kind == .noReply { fail(with: error) }
            throw error
        }
        // 1: primary owner, 2: in queue, 3: exists, 4: already owner.
        return [1, 4].contains(values.first?.asInt)
    }

    /// Gives a well-known name up. Without it, or on a connection that has ended, nothing happens.
    package func releaseName(_ name: String) {
        // A name that is not this connection's is reported in the reply's code, and is no error.
        call(.bus("ReleaseName", .string(name))) { _ in }
    }
}

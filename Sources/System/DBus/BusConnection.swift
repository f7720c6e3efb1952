import CDBus
package import EventLoop

/// A private connection to a message bus.
///
/// Nothing here blocks, and no peer can stop the process: every call has a timeout, sizes and counts are
/// limited, and arguments on which libdbus would abort are refused first. Completions and handlers are never
/// called before the function that they were passed to has returned.
@EventLoop
package final class BusConnection {
    package typealias Completion = @EventLoop (Result<[BusValue], BusError>) -> Void

    /// The default timeout of a call.
    package static nonisolated let defaultTimeout = Duration.seconds(10)

    /// The name that the bus assigned to this connection, for example `:1.42`.
    package internal(set) var uniqueName = ""

    /// Called once if the connection ends for any reason but ``close()``.
    package var onLost: (@EventLoop (BusError) -> Void)?

    package let address: BusAddress
    var subscriptions = SubscriptionTable()
    var owners: [String: NameOwner] = [:]
    var objects: [ObjectPath: WeakObject] = [:]

    private struct PendingCall {
        let call: MethodCall
        let timer: TimerSource
        let completion: Completion
    }

    /// Bounds the memory for calls to peers that never answer.
    private static let maximumPendingCalls = 1024
    /// Bytes that are queued because the bus does not read.
    private static let maximumOutgoing = 8 << 20
    /// Messages per iteration of the loop, so that other sources are dispatched in between.
    private static let batch = 64

    private var pointer: OpaquePointer?
    private var pending: [UInt32: PendingCall] = [:]
    private lazy var watches = Watches { [weak self] in self?.dispatch() }
    private lazy var dispatching = DeferredSource { [weak self] in self?.dispatch() }

    /// Takes ownership of a connected socket. The connection can be used after `Hello`.
    init(adopting socket: ConnectedBus, _ address: BusAddress) {
        self.address = address
        pointer = socket.pointer
        configure()
    }

    isolated deinit { close() }

    package var isOpen: Bool { pointer != nil }

    /// Ends the connection. Pending calls fail, handlers are not called again.
    package func close() {
        end(.disconnected("the connection was closed"))
    }

    /// Ends the connection as if the bus had closed it: ``onLost`` is called before the completions of
    /// pending calls, and a ``Bus`` reconnects.
    package func fail(with error: BusError) {
        guard isOpen else { return }
        let handler = onLost
        onLost = nil
        end(error) { handler?(error) }
    }

    /// Sends a call and reports its answer, or an error, exactly once.
    package func call(
        _ call: MethodCall,
        timeout: Duration = defaultTimeout,
        completion: @escaping Completion
    ) {
        do throws(BusError) {
            guard pending.count < Self.maximumPendingCalls else {
                throw .standard("LimitsExceeded", "\(pending.count) calls are already waiting for an answer")
            }
            let serial = try send(try .call(call))
            let timer = TimerSource { [weak self] in
                self?.finish(serial, .failure(.standard("NoReply", "no answer within \(timeout)")))
            }
            timer.arm(after: timeout)
            pending[serial] = PendingCall(call: call, timer: timer, completion: completion)
        } catch {
            let failure = error.trying(call.description)
            EventLoop.start { completion(.failure(failure)) }
        }
    }

    /// Sends a call and waits for its answer.
    ///
    /// - Returns: The arguments of the answer.
    /// - Throws: The peer's error, ``BusError/Kind/noReply`` after `timeout`,
    ///   ``BusError/Kind/disconnected`` if the connection ends.
    package func call(_ call: MethodCall, timeout: Duration = defaultTimeout) async throws(BusError)
        -> [BusValue]
    {
        let result = await withCheckedContinuation { continuation in
            self.call(call, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Sends a signal to all subscribers, or to `destination` only.
    ///
    /// - Throws: If a name or an argument is invalid, or the connection has ended.
    package func emit(_ signal: BusSignal, to destination: String? = nil) throws(BusError) {
        do throws(BusError) {
            _ = try send(try .signal(signal, to: destination))
        } catch {
            throw error.trying("emit \(signal.interface).\(signal.member) on \(signal.path)")
        }
    }

    // MARK: - Within the target

    func send(_ message: consuming BusMessage) throws(BusError) -> UInt32 {
        guard let pointer else { throw .disconnected("the connection to \(address) has ended") }
        guard dbus_connection_get_outgoing_size(pointer) < Self.maximumOutgoing else {
            throw .standard("LimitsExceeded", "\(address) has stopped reading")
        }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else {
            throw .standard("NotSupported", "\(address) does not support file descriptors")
        }
        return serial
    }

    // MARK: - Private

    private func configure() {
        guard let pointer else { return }
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        // libdbus writes with MSG_NOSIGNAL; it must not change how the process handles SIGPIPE.
        dbus_connection_set_change_sigpipe(0)
        // Any peer may send a larger signal, and then libdbus ends the connection. To accept all that the bus
        // passes on, up to 32 MiB on the system bus, would let any peer cost us that memory and the time to
        // validate it.
        dbus_connection_set_max_message_size(pointer, 4 << 20)
        // Small messages grow fivefold when libdbus parses them.
        dbus_connection_set_max_received_size(pointer, 1 << 20)
        dbus_connection_set_max_message_unix_fds(pointer, 16)
        dbus_connection_set_max_received_unix_fds(pointer, 64)
        // libdbus needs its timeouts only for its pending calls, which are not used here.
        watches.attach(to: pointer)
        dbus_connection_set_dispatch_status_function(
            pointer,
            { _, status, context in
                guard status == DBUS_DISPATCH_DATA_REMAINS else { return }
                onLoop(context, as: BusConnection.self) { $0.messagesArrived() }
            },
            unretained(self),
            nil
        )
        // Messages that arrived with the first bytes were read before the dispatch status function was set.
        dispatching.trigger()
    }

    /// Called from within libdbus, where messages must not be handled.
    private func messagesArrived() {
        // The watches dispatch in the same iteration of the loop, as soon as libdbus has returned.
        if !watches.isHandling { dispatching.trigger() }
    }

    private func dispatch() {
        for _ in 0..<Self.batch {
            guard let pointer, dbus_connection_get_dispatch_status(pointer) == DBUS_DISPATCH_DATA_REMAINS,
                let message = dbus_connection_pop_message(pointer)
            else { return }
            received(BusMessage(adopting: message))
        }
        dispatching.trigger()
    }

    private func received(_ message: consuming BusMessage) {
        switch message.type {
        case DBUS_MESSAGE_TYPE_METHOD_RETURN:
            guard pending[message.replySerial] != nil else { return }
            do throws(BusError) {
                finish(message.replySerial, .success(try message.arguments()))
            } catch {
                finish(message.replySerial, .failure(error))
            }
        case DBUS_MESSAGE_TYPE_ERROR:
            finish(message.replySerial, .failure(message.error))
        case DBUS_MESSAGE_TYPE_SIGNAL:
            // libdbus reports the end of the connection with a signal of its own; signals from the bus have a
            // sender.
            if message.sender == nil, message.interface == StandardInterface.local {
                fail(with: .disconnected("\(address) closed the connection"))
            } else {
                received(signal: message)
            }
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            received(call: message)
        default:
            // A type of a later protocol version, to be ignored (D-Bus specification, "Message Format").
            break
        }
    }

    private func finish(_ serial: UInt32, _ result: Result<[BusValue], BusError>) {
        guard let ended = pending.removeValue(forKey: serial) else { return }
        ended.completion(result.mapError { $0.trying(ended.call.description) })
    }

    private func end(_ error: BusError, first notifyOwner: () -> Void = {}) {
        guard let pointer else { return }
        self.pointer = nil
        watches.detach(from: pointer)
        dbus_connection_set_dispatch_status_function(pointer, nil, nil, nil)
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
        dispatching.cancel()
        // Handlers are released after their tables are empty: what they captured may use the tables.
        let calls = pending.values
        let handlers = (subscriptions, owners, onLost)
        defer { withExtendedLifetime(handlers) {} }
        pending = [:]
        subscriptions = SubscriptionTable()
        owners = [:]
        onLost = nil
        notifyOwner()
        for call in calls { call.completion(.failure(error.trying(call.call.description))) }
    }
}

import CDBus
package import EventLoop

/// A private connection to a message bus.
///
/// Nothing here blocks, and no peer can stop the process: every call has a time limit, sizes and counts are
/// limited, and what libdbus would abort on is refused before it gets there. Completions and handlers are
/// never called before the function that was given them has returned.
@EventLoop
package final class BusConnection {
    package typealias Completion = @EventLoop (Result<[BusValue], BusError>) -> Void

    /// The time limit of a call unless another is given.
    package static nonisolated let defaultTimeout = Duration.seconds(10)

    /// The name that the bus gave this connection, `:1.42` for example.
    package internal(set) var uniqueName = ""

    /// Called once if the connection ends for any reason but ``close()``.
    package var onLost: (@EventLoop (BusError) -> Void)?

    let address: BusAddress
    var subscriptions = SubscriptionTable()
    var owners: [String: NameOwner] = [:]
    /// The last identifier of a watcher of a name.
    var watchers: UInt64 = 0
    var objects: [ObjectPath: WeakObject] = [:]

    private struct PendingCall {
        let call: MethodCall
        let timer: TimerSource
        let completion: Completion
    }

    /// Peers that never answer must not fill the memory.
    private static let maximumPendingCalls = 1024
    /// Bytes that wait to be written, because the bus does not read.
    private static let maximumOutgoing = 8 << 20
    /// Messages per turn of the loop; other sources of the loop get their turn in between.
    private static let batch = 64

    private var pointer: OpaquePointer?
    private var pending: [UInt32: PendingCall] = [:]
    private var postponed: [@EventLoop () -> Void] = []
    private lazy var watches = Watches { [weak self] in self?.dispatch() }
    private lazy var dispatching = DeferredSource { [weak self] in self?.dispatch() }
    private lazy var postponing = DeferredSource { [weak self] in self?.runPostponed() }

    /// Takes over a socket that is connected. The connection is of use after ``hello(timeout:completion:)``.
    init(adopting socket: ConnectedBus, _ address: BusAddress) {
        self.address = address
        pointer = socket.pointer
        configure()
    }

    isolated deinit {
        close()
        runPostponed()
    }

    package var isOpen: Bool { pointer != nil }

    /// Ends the connection. Calls that wait for an answer fail, handlers are not called again.
    package func close() {
        end(.disconnected("the connection was closed"))
    }

    /// Ends the connection as if the bus had closed it: ``onLost`` is called before the completions of pending calls,
    /// and a ``Bus`` reconnects.
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
                throw .standard("LimitsExceeded", "\(pending.count) calls wait for an answer already")
            }
            let serial = try send(try .call(call))
            let timer = TimerSource { [weak self] in self?.expired(serial, timeout) }
            timer.arm(after: timeout)
            pending[serial] = PendingCall(call: call, timer: timer, completion: completion)
        } catch {
            let failure = error.trying(call.description)
            postpone { completion(.failure(failure)) }
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

    /// Sends a signal to everybody who asked for it, or to `destination` only.
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
            throw .standard("LimitsExceeded", "\(address) does not read what is sent")
        }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else {
            throw .standard("NotSupported", "\(address) does not take file descriptors")
        }
        return serial
    }

    /// Runs `work` in a later turn of the loop, or when the connection goes.
    func postpone(_ work: @escaping @EventLoop () -> Void) {
        postponed.append(work)
        postponing.trigger()
    }

    // MARK: - Private

    private func configure() {
        guard let pointer else { return }
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        // libdbus writes with MSG_NOSIGNAL; what the process does with SIGPIPE is none of its business.
        dbus_connection_set_change_sigpipe(0)
        // Anybody on the bus may send a larger signal, at which libdbus ends the connection. To take in whatever the bus
        // lets through, 32 MiB on a system's bus, would cost that memory, and the time to validate it, for a stranger.
        dbus_connection_set_max_message_size(pointer, 4 << 20)
        // Small messages grow fivefold when libdbus has taken them apart.
        dbus_connection_set_max_received_size(pointer, 1 << 20)
        dbus_connection_set_max_message_unix_fds(pointer, 16)
        dbus_connection_set_max_received_unix_fds(pointer, 64)
        // Time-outs of libdbus belong to its pending calls, which are not used here.
        watches.attach(to: pointer)
        dbus_connection_set_dispatch_status_function(
            pointer,
            { _, status, context in
                guard status == DBUS_DISPATCH_DATA_REMAINS, let context else { return }
                let connection = Unmanaged<BusConnection>.fromOpaque(context)
                    .takeUnretainedValue()
                EventLoop.assumeIsolated { connection.messagesArrived() }
            },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        )
        // Whatever came with the first bytes was read before anybody could be told.
        dispatching.trigger()
    }

    /// Called from within libdbus, where messages must not be handled.
    private func messagesArrived() {
        // The watches dispatch themselves, in the same turn, as soon as libdbus has returned.
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
        switch message.kind {
        case .reply:
            guard let call = pending[message.replySerial]?.call else { return }
            do throws(BusError) {
                finish(message.replySerial, .success(try message.arguments()))
            } catch {
                finish(message.replySerial, .failure(error.trying(call.description)))
            }
        case .error:
            guard let call = pending[message.replySerial]?.call else { return }
            finish(message.replySerial, .failure(message.error(trying: call.description)))
        case .signal:
            // libdbus itself tells the end of the connection; what comes from the bus has a sender.
            if message.sender == nil, message.interface == StandardInterface.local {
                fail(with: .disconnected("\(address) closed the connection"))
            } else {
                received(signal: message)
            }
        case .call:
            received(call: message)
        case .unknown:
            break
        }
    }

    private func finish(_ serial: UInt32, _ result: Result<[BusValue], BusError>) {
        pending.removeValue(forKey: serial)?.completion(result)
    }

    private func expired(_ serial: UInt32, _ timeout: Duration) {
        guard let call = pending[serial]?.call else { return }
        let error = BusError.standard("NoReply", "no answer within \(timeout)")
        finish(serial, .failure(error.trying(call.description)))
    }

    private func end(_ error: BusError, first notifyOwner: () -> Void = {}) {
        guard let pointer else { return }
        self.pointer = nil
        watches.detach(from: pointer)
        dbus_connection_set_dispatch_status_function(pointer, nil, nil, nil)
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
        dispatching.cancel()
        // Handlers are released after their tables are empty: what they hold may use the tables.
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

    private func runPostponed() {
        let work = postponed
        postponed = []
        for item in work { item() }
    }
}

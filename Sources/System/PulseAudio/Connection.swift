import CPulse
import EventLoop

/// A request of libpulse operations with one result, called exactly once.
@EventLoop
protocol ConnectionRequest: AnyObject {
    /// Completes "could not …".
    var action: String { get }
    /// Sends the request, which must be kept alive until ``Connection/forget(_:)`` is called with it.
    func start(on connection: Connection)
    /// Ends the operations, because the connection is ending. The result is still to come.
    func detach()
    func fail(_ reason: String, _ kind: AudioError.Kind)
}

/// One `pa_context`, from the attempt to connect to its end. Contexts never recover, so each attempt has its
/// own.
@EventLoop
final class Connection {
    /// Time from the attempt to `ready`.
    static let connectLimit = Duration.seconds(5)

    /// Nil once the connection has ended.
    private(set) var context: OpaquePointer?
    private let ownDeviceProperty: String?
    private let observers: DeviceObservers
    let previousDefault: PreviousDefault
    /// Another connection of this program to the same server.
    weak var companion: Connection?
    /// It is told that the connection is ready, and once that it has ended.
    private weak var server: AudioServer?
    private lazy var limit = TimerSource { [weak self] in
        self?.end("the audio server did not answer within \(Self.connectLimit)")
    }
    private var streams: [StreamHandle] = []
    private(set) var requests: [any ConnectionRequest] = []
    private(set) lazy var sources = SourceList { [weak self] in
        guard let self else { return $0.fail("the audio server is gone", .serverLost) }
        send($0)
    }

    init(of server: AudioServer, _ observers: DeviceObservers) throws(AudioError) {
        ownDeviceProperty = server.ownDeviceProperty
        self.observers = observers
        previousDefault = server.previousDefault
        context = pa_context_new(MainLoopAPI.pointer, server.applicationName)
        guard context != nil else {
            throw AudioError("connect to the audio server", reason: "libpulse could not be initialised")
        }
        self.server = server
    }

    isolated deinit { end("the connection was dropped") }

    /// - Throws: If the attempt fails immediately; the server is not told then.
    func open(_ address: String?) throws(AudioError) {
        limit.arm(after: Self.connectLimit)
        // Starting a server is systemd's job; a daemon must not do it behind its back.
        let result = pa_context_connect(context, address, PA_CONTEXT_NOAUTOSPAWN, nil)
        guard result >= 0 else {
            let error = AudioError("connect to the audio server", code: pa_context_errno(context))
            server = nil
            end(error.reason)
            throw error
        }
        pa_context_set_state_callback(
            context,
            { _, connection in onLoop(connection, as: Connection.self) { $0.stateChanged() } },
            unretained(self)
        )
    }

    /// Ends the connection and everything on it: the server ends all streams when the socket closes.
    func end(_ reason: String) {
        guard let context else { return }
        self.context = nil
        limit.disarm()
        let (ended, failed, server) = (streams, requests, server)
        (streams, requests, self.server) = ([], [], nil)
        for stream in ended { stream.detach() }
        for request in failed { request.detach() }
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
        // Reported last, when no stream exists any more, because the handlers act on it.
        for stream in ended { stream.reportFailure("the audio server is gone: \(reason)", .serverLost) }
        for request in failed { request.fail("the audio server is gone: \(reason)", .serverLost) }
        server?.ended(self, reason)
    }

    /// Keeps a stream alive until the server has confirmed its end.
    func keep(_ stream: StreamHandle) {
        streams.append(stream)
        updateSubscription()
    }

    func forget(_ stream: StreamHandle) {
        streams.removeAll { $0 === stream }
        updateSubscription()
    }

    /// True while a stream has been requested and is not confirmed yet.
    var isOpeningStream: Bool { streams.contains { $0.index == nil } }

    /// Returns false for a stream that the server has not confirmed yet.
    func owns(_ stream: ServerObject) -> Bool {
        streams.contains { $0.kind == stream.kind && $0.index == stream.index }
    }

    /// Sends a request, and keeps it alive until its end.
    func send(_ request: any ConnectionRequest) {
        guard context != nil else { return request.fail("the audio server is gone", .serverLost) }
        requests.append(request)
        request.start(on: self)
    }

    func forget(_ request: any ConnectionRequest) {
        requests.removeAll { $0 === request }
    }

    /// Of this connection and its companion. One that is not ready has no index and no streams yet.
    var ownMarks: OwnMarks {
        let indices = [context, companion?.context].compactMap(\.self).map { pa_context_get_index($0) }
        return OwnMarks(deviceProperty: ownDeviceProperty, clients: Set(indices.filter { $0 != .max }))
    }

    private func stateChanged() {
        guard let context else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            // Before anything is listed, so that no change after the list is missed.
            updateSubscription()
            let query = DeviceQuery("query the name of the server", of: [.server]) { [weak self] result in
                self?.identified(result)
            }
            send(query)
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            end(AudioError("", code: pa_context_errno(context)).reason)
        default:
            // Intermediate states before ready.
            break
        }
    }

    private func identified(_ result: Result<AudioDevices, AudioError>) {
        switch result {
        case .success:
            limit.disarm()
            server?.connectionIsReady()
        case .failure(let error):
            end(error.reason)
        }
    }

    private var subscribedKinds: Set<DeviceKind> = []

    /// Subscribes to what is observed, and to what the streams need to hear.
    func updateSubscription() {
        guard let context, pa_context_get_state(context) == PA_CONTEXT_READY else { return }
        let kinds = streams.reduce(into: observers.kinds) { $0.formUnion($1.observedKinds) }
        guard kinds != subscribedKinds else { return }
        subscribedKinds = kinds
        pa_context_set_subscribe_callback(
            context,
            { _, event, index, connection in
                onLoop(connection, as: Connection.self) { $0.changed(event, index) }
            },
            unretained(self)
        )
        // Without the subscription only what is known becomes stale.
        if let operation = pa_context_subscribe(context, DeviceKind.mask(of: kinds), nil, nil) {
            pa_operation_unref(operation)
        }
    }

    private func changed(_ event: pa_subscription_event_type_t, _ index: UInt32) {
        guard let event = SoundDeviceEvent(event, index) else { return }
        for stream in streams { stream.report(event) }
        observers.report(event)
    }
}

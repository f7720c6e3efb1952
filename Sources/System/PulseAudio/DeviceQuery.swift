import CPulse
import EventLoop

/// A query of the server and its devices, of one or more libpulse operations with one result.
@EventLoop
final class DeviceQuery: ConnectionRequest {
    enum Scope {
        case server
        case all(Set<DeviceKind>)

        /// All that is needed to identify the microphones.
        static let sources = Scope.all([.server, .source, .sink, .sourceOutput, .card])
    }

    private let action: String
    private let scope: Scope
    private var own = OwnMarks(nil, [])
    /// Sees what was listed.
    var previousDefault: PreviousDefault?
    private var completion: (@EventLoop (Result<AudioDevices, AudioError>) -> Void)?
    private var devices = AudioDevices()
    private var operations: [OpaquePointer] = []
    private var pendingOperations = 0
    private var limit: TimerSource?
    private var ended: (@EventLoop (any ConnectionRequest) -> Void)?

    /// `action` completes "could not …"; `completion` is called exactly once.
    init(
        _ action: String,
        of scope: Scope,
        completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void
    ) {
        self.action = action
        self.scope = scope
        self.completion = completion
    }

    func start(
        on context: OpaquePointer,
        _ own: OwnMarks,
        ended: @escaping @EventLoop (any ConnectionRequest) -> Void
    ) {
        self.own = own
        self.ended = ended
        limit = TimerSource { [weak self] in
            self?.fail("the audio server did not answer within 2 seconds", .other)
        }
        limit?.arm(after: .seconds(2))
        let this = unretained(self)
        switch scope {
        case .server:
            add(pa_context_get_server_info(context, serverCallback, this), context)
        case .all(let kinds):
            for kind in kinds { list(kind, context) }
            if pendingOperations == 0 { finish(.success(devices)) }
        }
    }

    private func list(_ kind: DeviceKind, _ context: OpaquePointer) {
        let this = unretained(self)
        switch kind {
        case .server: add(pa_context_get_server_info(context, serverCallback, this), context)
        case .source: add(pa_context_get_source_info_list(context, sourceCallback, this), context)
        case .sink: add(pa_context_get_sink_info_list(context, sinkCallback, this), context)
        case .sourceOutput:
            add(pa_context_get_source_output_info_list(context, sourceOutputCallback, this), context)
        case .sinkInput: add(pa_context_get_sink_input_info_list(context, sinkInputCallback, this), context)
        case .module: add(pa_context_get_module_info_list(context, moduleCallback, this), context)
        case .card: add(pa_context_get_card_info_list(context, cardCallback, this), context)
        }
    }

    func detach() {
        limit?.disarm()
        limit = nil
        for operation in operations {
            pa_operation_cancel(operation)
            pa_operation_unref(operation)
        }
        operations = []
        let handler = ended
        ended = nil
        handler?(self)
    }

    func fail(_ reason: String, _ kind: AudioError.Kind) {
        finish(.failure(AudioError(action, reason: reason, kind: kind)))
    }

    private func add(_ operation: OpaquePointer?, _ context: OpaquePointer) {
        guard let operation else {
            finish(.failure(AudioError(action, code: pa_context_errno(context))))
            return
        }
        operations.append(operation)
        pendingOperations += 1
    }

    func received(server: AudioDevices) {
        devices.serverName = server.serverName
        devices.defaultSource = server.defaultSource
        devices.defaultSink = server.defaultSink
        operationEnded()
    }

    func received(source: pa_source_info) {
        append(AudioDevice(source, own), to: \.sources)
    }

    func received(sink: pa_sink_info) {
        append(AudioSink(sink, own), to: \.sinks)
    }

    func received(sourceOutput: pa_source_output_info) {
        append(AudioStream(sourceOutput, own), to: \.sourceOutputs)
    }

    func received(sinkInput: pa_sink_input_info) {
        append(AudioStream(sinkInput, own), to: \.sinkInputs)
    }

    func received(module: AudioModule) {
        append(module, to: \.modules)
    }

    func received(card: pa_card_info) {
        append(AudioCard(card), to: \.cards)
    }

    private func append<Item>(_ item: Item, to list: WritableKeyPath<AudioDevices, [Item]>) {
        if devices[keyPath: list].count < AudioDevices.limit { devices[keyPath: list].append(item) }
    }

    /// - Parameter end: 0 for an item, positive at the end of the list, negative if the operation failed.
    func listAdvanced(_ end: Int32) {
        if end < 0 {
            fail("the audio server refused", .other)
        } else if end > 0 {
            operationEnded()
        }
    }

    private func operationEnded() {
        pendingOperations -= 1
        if pendingOperations == 0 { finish(.success(devices)) }
    }

    private func finish(_ result: Result<AudioDevices, AudioError>) {
        let result = result.map { previousDefault?.updated($0) ?? $0 }
        let handler = completion
        completion = nil
        detach()
        handler?(result)
    }
}

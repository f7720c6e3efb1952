import CPulse
import EventLoop

/// A query of the server and its devices.
@EventLoop
final class DeviceQuery: ServerRequest<AudioDevices> {
    /// All that is needed to identify the microphones.
    static let sources: Set<DeviceKind> = [.server, .source, .sink, .sourceOutput, .card]

    private let kinds: Set<DeviceKind>
    private var own = OwnMarks()
    /// Sees what was listed, if software that records no microphone can be told from one by it.
    private var previousDefault: PreviousDefault?
    private var devices = AudioDevices()
    private var pendingOperations: Int

    init(_ action: String, of kinds: Set<DeviceKind>, completion: @escaping Completion) {
        self.kinds = kinds
        pendingOperations = kinds.count
        super.init(action, completion: completion)
    }

    override func begin() {
        if let connection { own = connection.ownMarks }
        if kinds.isSuperset(of: [.server, .source, .sink, .sourceOutput]) {
            previousDefault = connection?.previousDefault
        }
        if kinds.isEmpty { return finish(.success(devices)) }
        for kind in kinds { send { list(kind, $0, $1) } }
    }

    private func list(_ kind: DeviceKind, _ context: OpaquePointer, _ this: UnsafeMutableRawPointer)
        -> OpaquePointer?
    {
        switch kind {
        case .server: pa_context_get_server_info(context, serverCallback, this)
        case .source:
            pa_context_get_source_info_list(context, { add($1, $2, $3, \.sources, AudioDevice.init) }, this)
        case .sink:
            pa_context_get_sink_info_list(context, { add($1, $2, $3, \.sinks, AudioSink.init) }, this)
        case .sourceOutput:
            pa_context_get_source_output_info_list(
                context,
                { add($1, $2, $3, \.sourceOutputs, AudioStream.init) },
                this
            )
        case .sinkInput:
            pa_context_get_sink_input_info_list(
                context,
                { add($1, $2, $3, \.sinkInputs, AudioStream.init) },
                this
            )
        case .module:
            pa_context_get_module_info_list(context, { add($1, $2, $3, \.modules, AudioModule.init) }, this)
        case .card:
            pa_context_get_card_info_list(context, { add($1, $2, $3, \.cards, AudioCard.init) }, this)
        }
    }

    fileprivate func received(_ server: pa_server_info?) {
        guard let server else { return fail("the audio server refused", .other) }
        let name = text(server.server_name) ?? "audio server"
        devices.serverName = "\(name) \(text(server.server_version) ?? "")"
        devices.defaultSource = text(server.default_source_name)
        devices.defaultSink = text(server.default_sink_name)
        operationEnded()
    }

    /// `end` is 0 for an item, positive at the end of the list, negative if the operation failed.
    fileprivate func received<Info, Item>(
        _ info: Info?,
        _ end: Int32,
        _ list: WritableKeyPath<AudioDevices, [Item]>,
        _ item: (Info, OwnMarks) -> Item
    ) {
        if let info, devices[keyPath: list].count < AudioDevices.limit {
            devices[keyPath: list].append(item(info, own))
        }
        if end < 0 {
            fail("the audio server refused", .other)
        } else if end > 0 {
            operationEnded()
        }
    }

    private func operationEnded() {
        pendingOperations -= 1
        if pendingOperations == 0 { finish(.success(previousDefault?.updated(devices) ?? devices)) }
    }
}

// Pointers in the information of the server are valid during the call, in which they are read, on the same
// thread.

private let serverCallback: pa_server_info_cb_t = { _, info, query in
    nonisolated(unsafe) let server = info?.pointee
    onLoop(query, as: DeviceQuery.self) { $0.received(server) }
}

/// The work of a list callback, with its arguments.
private func add<Info, Item>(
    _ info: UnsafePointer<Info>?,
    _ end: Int32,
    _ query: UnsafeMutableRawPointer?,
    _ list: WritableKeyPath<AudioDevices, [Item]>,
    _ item: (Info, OwnMarks) -> Item
) {
    nonisolated(unsafe) let info = info?.pointee
    nonisolated(unsafe) let (list, item) = (list, item)
    onLoop(query, as: DeviceQuery.self) { $0.received(info, end, list, item) }
}

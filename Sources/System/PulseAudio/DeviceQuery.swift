import CPulse
import EventLoop

/// A query of the server and its devices, of one or more libpulse operations with one result.
@EventLoop
final class DeviceQuery {
    enum Scope {
        case server
        case source(index: UInt32)
        /// All that is needed to identify the microphones.
        case sources
    }

    private let action: String
    private let scope: Scope
    private var ownProperty: String?
    private var completion: (@EventLoop (Result<AudioDevices, AudioError>) -> Void)?
    private var devices = AudioDevices()
    private var operations: [OpaquePointer] = []
    private var pendingOperations = 0
    private var limit: TimerSource?
    private var ended: (@EventLoop (DeviceQuery) -> Void)?

    /// `action` completes "could not …"; `completion` is called exactly once, unless ``cancel()`` comes first.
    init(
        _ action: String,
        of scope: Scope,
        completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void
    ) {
        self.action = action
        self.scope = scope
        self.completion = completion
    }

    /// Sends the query, which must be kept alive until `ended` is called. `ownProperty` is the property that marks this
    /// program's own devices.
    func start(
        on context: OpaquePointer,
        _ ownProperty: String?,
        ended: @escaping @EventLoop (DeviceQuery) -> Void
    ) {
        self.ownProperty = ownProperty
        self.ended = ended
        limit = TimerSource { [weak self] in
            self?.fail("the audio server did not answer within 2 seconds")
        }
        limit?.arm(after: .seconds(2))
        let this = unretained(self)
        switch scope {
        case .server:
            add(pa_context_get_server_info(context, serverCallback, this), context)
        case .source(let index):
            add(pa_context_get_source_info_by_index(context, index, sourceCallback, this), context)
        case .sources:
            querySources(context)
        }
    }

    private func querySources(_ context: OpaquePointer) {
        let this = unretained(self)
        add(pa_context_get_server_info(context, serverCallback, this), context)
        add(pa_context_get_source_info_list(context, sourceCallback, this), context)
        add(pa_context_get_source_output_info_list(context, sourceOutputCallback, this), context)
    }

    /// Ends the query without calling `completion`.
    func cancel() {
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

    func fail(_ reason: String, _ kind: AudioError.Kind = .other) {
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

    fileprivate func received(server: (name: String, source: String?)) {
        devices.serverName = server.name
        devices.defaultSource = server.source
        operationEnded()
    }

    fileprivate func received(source: pa_source_info) {
        if devices.sources.count < AudioDevices.limit { devices.sources.append(source.device(ownProperty)) }
    }

    fileprivate func received(output: SourceOutput) {
        if devices.sourceOutputs.count < AudioDevices.limit { devices.sourceOutputs.append(output) }
    }

    /// - Parameter end: 0 for an item, positive at the end of the list, negative if the operation failed.
    fileprivate func listAdvanced(_ end: Int32) {
        if end < 0 {
            fail("the audio server refused")
        } else if end > 0 {
            operationEnded()
        }
    }

    private func operationEnded() {
        pendingOperations -= 1
        if pendingOperations == 0 { finish(.success(devices)) }
    }

    private func finish(_ result: Result<AudioDevices, AudioError>) {
        let handler = completion
        completion = nil
        cancel()
        handler?(result)
    }
}

private let serverCallback: pa_server_info_cb_t = { _, info, query in
    let info = info?.pointee
    let name = text(info?.server_name) ?? "audio server"
    let version = text(info?.server_version) ?? ""
    let server = (
        name: "\(name) \(version)",
        source: text(info?.default_source_name)
    )
    let hasSucceeded = info != nil
    onLoop(query, as: DeviceQuery.self) { query in
        if hasSucceeded {
            query.received(server: server)
        } else {
            query.fail("the audio server refused")
        }
    }
}

private let sourceCallback: pa_source_info_cb_t = { _, info, end, query in
    // Valid during this call, in which it is read, on the same thread.
    nonisolated(unsafe) let source = info?.pointee
    onLoop(query, as: DeviceQuery.self) { query in
        if let source { query.received(source: source) }
        query.listAdvanced(end)
    }
}

private let sourceOutputCallback: pa_source_output_info_cb_t = { _, info, end, query in
    let output = info.map { info in
        let owner = DeviceOwner(info.pointee.owner_module, info.pointee.proplist)
        return SourceOutput(owner: owner, source: info.pointee.source)
    }
    onLoop(query, as: DeviceQuery.self) { query in
        if let output { query.received(output: output) }
        query.listAdvanced(end)
    }
}

extension pa_source_info {
    fileprivate func device(_ ownProperty: String?) -> AudioDevice {
        AudioDevice(
            index: index,
            name: text(name) ?? "",
            isMuted: mute != 0,
            isMonitor: monitor_of_sink != UInt32.max || property("device.class", of: proplist) == "monitor",
            isOwn: ownProperty.map { property($0, of: proplist) != nil } ?? false,
            isHardware: flags.rawValue & PA_SOURCE_HARDWARE.rawValue != 0,
            isUnplugged: active_port?.pointee.available == Int32(PA_PORT_AVAILABLE_NO.rawValue),
            owner: DeviceOwner(owner_module, proplist)
        )
    }
}

extension DeviceOwner {
    fileprivate init(_ module: UInt32, _ properties: OpaquePointer?) {
        self.init(
            module: module == .max ? nil : module,
            linkGroup: property("node.link-group", of: properties)
        )
    }
}

private func property(_ name: String, of list: OpaquePointer?) -> String? {
    list.flatMap { text(pa_proplist_gets($0, name)) }
}

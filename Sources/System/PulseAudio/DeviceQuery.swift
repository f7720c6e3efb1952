import CPulse
import EventLoop

/// Questions about the server and its devices that get one answer together.
@EventLoop
final class DeviceQuery {
    enum Question {
        case server
        case source(index: UInt32)
        /// All that it takes to tell a microphone.
        case sources
        case everything
    }

    private let action: String
    private let question: Question
    private var mark: String?
    private var completion: (@EventLoop (Result<AudioDevices, AudioError>) -> Void)?
    private var answer = AudioDevices()
    private var operations: [OpaquePointer] = []
    private var unanswered = 0
    private var limit: TimerSource?
    private var ended: (@EventLoop (DeviceQuery) -> Void)?

    /// `action` completes "could not …"; `completion` is called exactly once, unless ``cancel()`` comes first.
    init(
        _ action: String,
        _ question: Question,
        _ completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void
    ) {
        self.action = action
        self.question = question
        self.completion = completion
    }

    /// Asks; once `ended` is called, whoever keeps the query alive may let it go. `mark` is a property of the devices
    /// that this program has made itself.
    func start(
        on context: OpaquePointer,
        _ mark: String?,
        ended: @escaping @EventLoop (DeviceQuery) -> Void
    ) {
        self.mark = mark
        self.ended = ended
        limit = TimerSource { [weak self] in
            self?.fail("the audio server did not answer within 2 seconds")
        }
        limit?.arm(after: .seconds(2))
        let this = unretained(self)
        switch question {
        case .server:
            ask(pa_context_get_server_info(context, serverAnswer, this), context)
        case .source(let index):
            ask(pa_context_get_source_info_by_index(context, index, sourceAnswer, this), context)
        case .sources:
            askForSources(context)
        case .everything:
            askForSources(context)
            ask(pa_context_get_sink_info_list(context, sinkAnswer, this), context)
        }
    }

    private func askForSources(_ context: OpaquePointer) {
        let this = unretained(self)
        ask(pa_context_get_server_info(context, serverAnswer, this), context)
        ask(pa_context_get_source_info_list(context, sourceAnswer, this), context)
        ask(pa_context_get_source_output_info_list(context, sourceOutputAnswer, this), context)
    }

    /// Ends the query without an answer.
    func cancel() {
        limit?.disarm()
        limit = nil
        for operation in operations {
            pa_operation_cancel(operation)
            pa_operation_unref(operation)
        }
        operations = []
        let told = ended
        ended = nil
        told?(self)
    }

    func fail(_ reason: String, _ kind: AudioError.Kind = .other) {
        finish(.failure(AudioError(action, reason: reason, kind: kind)))
    }

    private func ask(_ operation: OpaquePointer?, _ context: OpaquePointer) {
        guard let operation else {
            finish(.failure(AudioError(action, code: pa_context_errno(context))))
            return
        }
        operations.append(operation)
        unanswered += 1
    }

    fileprivate func received(server: (name: String, source: String?, sink: String?)) {
        answer.serverName = server.name
        answer.defaultSource = server.source
        answer.defaultSink = server.sink
        answered()
    }

    fileprivate func received(source: pa_source_info) {
        if answer.sources.count < AudioDevices.limit { answer.sources.append(source.device(mark)) }
    }

    fileprivate func received(sink: pa_sink_info) {
        if answer.sinks.count < AudioDevices.limit { answer.sinks.append(sink.device(mark)) }
    }

    fileprivate func received(feed: SourceFeed) {
        if answer.feeds.count < AudioDevices.limit { answer.feeds.append(feed) }
    }

    /// - Parameter end: 0 for an item, positive at the end of the list, negative if the question failed.
    fileprivate func listAdvanced(_ end: Int32) {
        if end < 0 {
            fail("the audio server refused")
        } else if end > 0 {
            answered()
        }
    }

    private func answered() {
        unanswered -= 1
        if unanswered == 0 { finish(.success(answer)) }
    }

    private func finish(_ result: Result<AudioDevices, AudioError>) {
        let told = completion
        completion = nil
        cancel()
        told?(result)
    }
}

private let serverAnswer: pa_server_info_cb_t = { _, info, query in
    let info = info?.pointee
    let name = text(info?.server_name) ?? "audio server"
    let version = text(info?.server_version) ?? ""
    let server = (
        name: "\(name) \(version)",
        source: text(info?.default_source_name),
        sink: text(info?.default_sink_name)
    )
    let isAnswer = info != nil
    onLoop(query, DeviceQuery.self) { query in
        if isAnswer {
            query.received(server: server)
        } else {
            query.fail("the audio server refused")
        }
    }
}

private let sourceAnswer: pa_source_info_cb_t = { _, info, end, query in
    // Good for the time of this call, in which it is read.
    nonisolated(unsafe) let source = info?.pointee
    onLoop(query, DeviceQuery.self) { query in
        if let source { query.received(source: source) }
        query.listAdvanced(end)
    }
}

private let sinkAnswer: pa_sink_info_cb_t = { _, info, end, query in
    // As above.
    nonisolated(unsafe) let sink = info?.pointee
    onLoop(query, DeviceQuery.self) { query in
        if let sink { query.received(sink: sink) }
        query.listAdvanced(end)
    }
}

private let sourceOutputAnswer: pa_source_output_info_cb_t = { _, info, end, query in
    let feed = info.map { info in
        let maker = SoftwareMaker(info.pointee.owner_module, info.pointee.proplist)
        return SourceFeed(maker: maker, source: info.pointee.source)
    }
    onLoop(query, DeviceQuery.self) { query in
        if let feed { query.received(feed: feed) }
        query.listAdvanced(end)
    }
}

extension pa_source_info {
    fileprivate func device(_ mark: String?) -> AudioDevice {
        AudioDevice(
            index: index,
            name: text(name) ?? "",
            description: text(description) ?? "",
            isMuted: mute != 0,
            isMonitor: monitor_of_sink != UInt32.max || property("device.class", of: proplist) == "monitor",
            isSuspended: state == PA_SOURCE_SUSPENDED,
            isOwn: mark.map { property($0, of: proplist) != nil } ?? false,
            isHardware: flags.rawValue & PA_SOURCE_HARDWARE.rawValue != 0,
            isUnplugged: active_port?.pointee.available == Int32(PA_PORT_AVAILABLE_NO.rawValue),
            maker: SoftwareMaker(owner_module, proplist)
        )
    }
}

extension pa_sink_info {
    fileprivate func device(_ mark: String?) -> AudioDevice {
        AudioDevice(
            index: index,
            name: text(name) ?? "",
            description: text(description) ?? "",
            isMuted: mute != 0,
            isMonitor: false,
            isSuspended: state == PA_SINK_SUSPENDED,
            isOwn: mark.map { property($0, of: proplist) != nil } ?? false,
            isHardware: flags.rawValue & PA_SINK_HARDWARE.rawValue != 0,
            isUnplugged: active_port?.pointee.available == Int32(PA_PORT_AVAILABLE_NO.rawValue),
            maker: SoftwareMaker(owner_module, proplist)
        )
    }
}

extension SoftwareMaker {
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

internal import CPulse
internal import EventLoop

/// Questions about the server and its devices that get one answer together.
@EventLoop
final class DeviceQuery {
    enum Question {
        case server
        case source(index: UInt32)
        case everything
    }

    private let action: String
    private let question: Question
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

    /// Asks; once `ended` is called, whoever keeps the query alive may let it go.
    func start(on context: OpaquePointer, ended: @escaping @EventLoop (DeviceQuery) -> Void) {
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
        case .everything:
            ask(pa_context_get_server_info(context, serverAnswer, this), context)
            ask(pa_context_get_source_info_list(context, sourceAnswer, this), context)
            ask(pa_context_get_sink_info_list(context, sinkAnswer, this), context)
        }
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

    func fail(_ reason: String) {
        finish(.failure(AudioError(action, reason)))
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

    fileprivate func received(source: AudioDevice) {
        if answer.sources.count < AudioDevices.limit { answer.sources.append(source) }
    }

    fileprivate func received(sink: AudioDevice) {
        if answer.sinks.count < AudioDevices.limit { answer.sinks.append(sink) }
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
    let device = info?.pointee.device
    onLoop(query, DeviceQuery.self) { query in
        if let device { query.received(source: device) }
        query.listAdvanced(end)
    }
}

private let sinkAnswer: pa_sink_info_cb_t = { _, info, end, query in
    let device = info?.pointee.device
    onLoop(query, DeviceQuery.self) { query in
        if let device { query.received(sink: device) }
        query.listAdvanced(end)
    }
}

extension pa_source_info {
    fileprivate var device: AudioDevice {
        AudioDevice(
            name: text(name) ?? "",
            description: text(description) ?? "",
            isMuted: mute != 0,
            isMonitor: monitor_of_sink != UInt32.max,
            isSuspended: state == PA_SOURCE_SUSPENDED
        )
    }
}

extension pa_sink_info {
    fileprivate var device: AudioDevice {
        AudioDevice(
            name: text(name) ?? "",
            description: text(description) ?? "",
            isMuted: mute != 0,
            isMonitor: false,
            isSuspended: state == PA_SINK_SUSPENDED
        )
    }
}

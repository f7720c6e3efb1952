import EventLoop
import JSON
import PTTMessages
import TestSupport
import Varlink

/// Takes the place of `pttd` at its socket: grants or refuses requests, and records them.
@EventLoop
final class CoreDouble {
    enum Request: Equatable, Sendable {
        case begin(String, OriginKind, ButtonRole = .talk)
        case end(String, EndCause?)
        case latch(String, ButtonRole)
        case report(String, ButtonRole, isPressed: Bool)
    }

    nonisolated let requests = AsyncQueue(of: Request.self)
    var refusal: Refusal?

    private let path: String
    private var server: VarlinkServer?
    private var subscribers: [VarlinkCall] = []
    private var status = Status(timeLimit: 60)
    private var sequence = 0
    private(set) var transmission = 0

    init(at path: String, isJoined: Bool = true) throws {
        self.path = path
        if isJoined { status.channel = CoreDouble.channel }
        try start()
    }

    static nonisolated let channel = Channel(
        channelID: ChannelID(randomBytes: (1, 2)),
        name: "Test",
        application: nil
    )

    /// The methods that ptt-accessoryd calls.
    private static let description = """
        interface \(ChannelInterface.name)
        method Subscribe() -> ()
        method BeginTransmitting() -> ()
        method EndTransmitting() -> ()
        method ReportLatch() -> ()
        method ReportButton() -> ()
        """

    func start() throws {
        let info = VarlinkServiceInfo(vendor: "", product: "core double", version: "", url: "")
        let interface = VarlinkInterface(
            Self.description,
            methods: [
                "Subscribe": { [weak self] in self?.subscribe($0) },
                "BeginTransmitting": { [weak self] call throws(VarlinkError) in try self?.begin(call) },
                "ReportLatch": { [weak self] call throws(VarlinkError) in try self?.latch(call) },
                "ReportButton": { [weak self] call throws(VarlinkError) in try self?.report(call) },
                "EndTransmitting": { [weak self] call throws(VarlinkError) in try self?.end(call) },
            ]
        )
        let server = VarlinkServer(info, [interface]) { line, _ in print("core double: \(line)") }
        try server.listen(on: try UnixSocket.listen(at: path, .stream))
        self.server = server
    }

    /// Stops immediately, as after a crash.
    func stop() {
        server?.stop()
        server = nil
        subscribers = []
    }

    func publish(_ event: CoreEvent) {
        status.apply(event)
        sequence += 1
        let update = ChannelInterface.Update(sequence: sequence, time: 0, status: nil, event: event)
        for call in subscribers { call.reply(.encoding(update), continues: true) }
    }

    private func subscribe(_ call: VarlinkCall) {
        subscribers.append(call)
        let first = ChannelInterface.Update(sequence: sequence, time: 0, status: status, event: nil)
        call.reply(.encoding(first), continues: true)
    }

    private func begin(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ChannelInterface.BeginRequest.self)
        requests.add(.begin(request.origin.identifier, request.origin.kind, request.role))
        if let refusal { throw VarlinkError(ChannelInterface.refused, .encoding(refusal)) }
        transmission += 1
        let reply = ChannelInterface.BeginReply(transmissionID: TransmissionID(rawValue: transmission))
        call.reply(.encoding(reply))
    }

    private func latch(_ call: VarlinkCall) throws(VarlinkError) {
        let report = try call.decode(ChannelInterface.LatchReport.self)
        requests.add(.latch(report.origin.identifier, report.role))
        call.reply()
    }

    private func report(_ call: VarlinkCall) throws(VarlinkError) {
        let report = try call.decode(ChannelInterface.ButtonReport.self)
        requests.add(.report(report.origin.identifier, report.role, isPressed: report.isPressed))
        call.reply()
    }

    private func end(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ChannelInterface.EndRequest.self)
        requests.add(.end(request.origin?.identifier ?? "", request.cause))
        call.reply()
    }
}

import EventLoop
import Glibc
import Input
import JSON
import Journal
import Logging
import PTTMessages
import Varlink

/// Serves `org.pushtotalk.Key` to one client, in a process of its own: the keys that it holds are released by
/// the kernel when either ends.
@EventLoop
final class KeyOffer {
    private static let deviceName = "Push-to-Talk Keys"
    /// A client that has offered nothing by then is disconnected.
    private static let patience = Duration.seconds(10)

    private let user: UInt32
    private let log: Logger
    private let end: @EventLoop () -> Void
    private var server: VarlinkServer?
    private var seat: SeatWatch?
    private var device: VirtualDevice?
    private var keys: Set<KeyCode> = []
    private lazy var timer = TimerSource { [weak self] in self?.close() }

    /// `end` is called once when the client has gone, or its session is not the active one any more.
    ///
    /// - Throws: If the client at the other end of the connection cannot be served.
    init(
        _ connection: consuming OwnedDescriptor,
        log: Logger,
        end: @escaping @EventLoop () -> Void
    ) throws(SystemError) {
        user = try UnixSocket.peerCredentials(connection.value).userID
        self.log = log
        self.end = end
        let peers = RateLimitedLog(log)
        let info = VarlinkServiceInfo(
            vendor: Product.name,
            product: "ptt-keys",
            version: Product.version,
            url: "https://github.com/pushtotalk-linux/push-to-talk"
        )
        let server = VarlinkServer(info, [interface], allowedUser: user) { line, process in
            peers.log(level: .warning, "\(line)", about: process)
        }
        self.server = server
        seat = try SeatWatch(of: user) { [weak self] in self?.seatChanged() }
        try server.serve(connection)
        timer.arm(after: Self.patience)
    }

    /// Removes the device, and ends.
    func close() {
        guard let server else { return }
        self.server = nil
        device?.remove()
        device = nil
        server.stop()
        end()
    }

    private func seatChanged() {
        guard device != nil, seat?.isActive != true else { return }
        log.notice("another session is the active one: the keys of user \(user) are released")
        close()
    }

    private var interface: VarlinkInterface {
        VarlinkInterface(
            KeyInterface.description,
            methods: [
                KeyInterface.offer.name: { [weak self] call throws(VarlinkError) in try self?.offer(call) },
                KeyInterface.press.name: { [weak self] call throws(VarlinkError) in
                    try self?.set(call, isPressed: true)
                },
                KeyInterface.release.name: { [weak self] call throws(VarlinkError) in
                    try self?.set(call, isPressed: false)
                },
            ]
        )
    }

    private func offer(_ call: VarlinkCall) throws(VarlinkError) {
        let request: KeyInterface.OfferRequest = try call.decode()
        guard device == nil else { throw .notOffered("the keys of a connection are offered once") }
        guard !request.keys.isEmpty, request.keys.count <= KeyInterface.OfferRequest.limit else {
            throw .invalidParameter("keys")
        }
        guard seat?.isActive == true else {
            throw .notOffered("only the person in front of the screen may hold keys")
        }
        let granted = try granted()
        for name in request.keys where !granted.contains(name) {
            throw .notOffered("\(name) is not granted: sudo pttctl grant actions \(name)")
        }
        keys = Set(request.keys.compactMap { KeyCode(name: $0) })
        guard keys.count == Set(request.keys).count else { throw .notOffered("there is no such key") }
        do throws(SystemError) {
            let number = InputNode.ID(bus: InputNode.ID.virtual)
            device = try VirtualDevice(name: Self.deviceName, keys: keys, id: number)
        } catch {
            throw .notOffered("\(error)")
        }
        timer.disarm()
        call.connection.onClose { [weak self] in self?.close() }
        call.reply()
    }

    private func granted() throws(VarlinkError) -> Set<String> {
        do {
            let text = try TextFile.read(KeyInterface.grants, limit: KeyInterface.grantLimit) ?? ""
            return Set(KeyInterface.grantedKeys(text))
        } catch {
            throw .notOffered("\(KeyInterface.grants) cannot be used: \(error)")
        }
    }

    private func set(_ call: VarlinkCall, isPressed: Bool) throws(VarlinkError) {
        let request: KeyInterface.KeyRequest = try call.decode()
        guard let device, let key = KeyCode(name: request.key), keys.contains(key) else {
            throw .notOffered("\(request.key) is not offered")
        }
        // The kernel ignores what changes nothing (input_event() in drivers/input/input.c).
        do throws(SystemError) {
            if isPressed { try device.press(key) } else { try device.release(key) }
        } catch {
            throw .notOffered("\(error)")
        }
        call.reply()
    }
}

extension VarlinkError {
    fileprivate static func notOffered(_ reason: String) -> VarlinkError {
        VarlinkError(KeyInterface.notOffered, ["reason": .string(reason)])
    }
}

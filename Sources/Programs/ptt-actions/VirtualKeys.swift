import AccessoryCore
import EventLoop
import Glibc
import JSON
import Logging
import PTTMessages
import Varlink

/// The keys that presses hold, of a virtual input device that ptt-keys makes.
///
/// The device exists as long as one connection, so that programs know it before a key of it is pressed: with
/// the keys that actions name and root has granted, from the grant on. The end of the connection is the
/// release of all its keys, in whatever way this process or ptt-keys ends.
@EventLoop
final class VirtualKeys {
    /// Why a call has failed.
    private struct Failure {
        let reason: String
        /// ptt-keys has said it. Otherwise the device has gone with the connection.
        let isAnswer: Bool
    }

    private let path: String
    private let grants: String
    private let log: Logger
    private var watch: FileWatch?
    private var seat: SeatWatch?
    private var client: VarlinkClient?
    /// The keys of the actions.
    private var named: Set<UInt16> = []
    /// The keys among them that root has granted.
    private var offered: Set<UInt16> = []
    private var held: [PressID: UInt16] = [:]
    /// The last refusal, which is logged once.
    private var refusal = ""
    private lazy var timer = TimerSource { [weak self] in self?.connect() }
    /// Between the attempts to make a device that has gone with ptt-keys, or that ptt-keys has not answered
    /// for. A press that a device takes resets it.
    private var backOff: BackOff
    /// For the first answer: systemd starts a process for it.
    private static let startLimit = Duration.seconds(30)

    /// To be set before the loop runs.
    var report: @EventLoop (ActionPresses.Event) -> Void = { _ in }

    init(
        _ path: String = KeyInterface.socket,
        grants: String = KeyInterface.grants,
        backOff: BackOff = BackOff(first: .seconds(1), limit: .seconds(300)),
        log: Logger
    ) {
        self.path = path
        self.grants = grants
        self.backOff = backOff
        self.log = log
        do {
            watch = try FileWatch(grants) { [weak self] in self?.renew() }
        } catch {
            // It is read with each change of the actions, and by a press of a key that was not granted.
            log.warning("\(grants) is not watched: \(error)")
        }
        do {
            seat = try SeatWatch(of: getuid()) { [weak self] in
                // Only the person in front of the screen has keys.
                if let self, seat?.isActive == true { connect() }
            }
        } catch {
            // Without logind nobody is in front of a screen for ptt-keys.
            log.debug("no seat is watched: \(error)")
        }
    }

    /// Sets which keys actions name. There is no device while none of them is granted, or ptt-keys refuses.
    func offer(_ keys: Set<UInt16>) {
        named = keys
        renew()
    }

    private func renew() {
        let granted = granted()
        let keys = named.filter { granted.contains(Self.name($0)) }
        guard keys != offered || client == nil else { return }
        let refused = named.subtracting(keys).sorted().map { Self.notGranted($0) }
        // A device has the keys that it was made with.
        close("the keys that actions may hold have changed")
        offered = keys
        connect()
        if !refused.isEmpty { self.refused(refused.joined(separator: "; ")) }
    }

    /// ptt-keys decides by the same file.
    private func granted() -> [String] {
        do {
            return KeyInterface.grantedKeys(try TextFile.read(grants, limit: KeyInterface.grantLimit) ?? "")
        } catch {
            refused("\(grants) cannot be used: \(error)")
            return []
        }
    }

    private static func name(_ code: UInt16) -> String { Action.Work.key(code).description }

    private static func notGranted(_ code: UInt16) -> String {
        "\(name(code)) is not granted: sudo pttctl grant actions \(name(code))"
    }

    private func connect() {
        guard client == nil, !offered.isEmpty else { return }
        do throws(SystemError) {
            let client = try VarlinkClient(connectingTo: path)
            self.client = client
            client.onClose = { [weak self] in self?.lost("\($0)") }
            let names = offered.sorted().map { Self.name($0) }
            let request = KeyInterface.OfferRequest(keys: names)
            call(KeyInterface.offer, request, timeLimit: Self.startLimit) { keys, failure in
                guard let failure else {
                    keys.refusal = ""
                    return
                }
                // The seat and the grants, by which it decides, are watched.
                if failure.isAnswer { keys.close(failure.reason) }
            }
        } catch {
            refused("\(error). No key is offered: see `sudo pttctl grant actions KEY`")
            retry()
        }
    }

    private func refused(_ reason: String) {
        if reason != refusal { log.warning("\(reason)") }
        refusal = reason
    }

    /// Not by the next press: programs have to know the device before a key of it is pressed.
    private func retry() { timer.arm(after: backOff.next()) }

    /// It has gone, or may have a key down that cannot be released: another one takes its place.
    private func lost(_ reason: String) {
        close(reason)
        retry()
    }

    /// The kernel has released all keys, or will at once.
    private func close(_ reason: String) {
        guard let client else { return }
        let ended = held
        (self.client, held) = (nil, [:])
        client.onClose = nil
        refused(reason)
        // Calls that are under way fail now.
        client.close()
        for id in ended.keys.sorted() { report(.unitStopped(id, failure: reason)) }
    }

    func press(_ id: PressID, _ code: UInt16) {
        if !offered.contains(code) { renew() }
        // It may have been refused before the person was at the seat.
        connect()
        guard client != nil, offered.contains(code) else {
            let reason = offered.contains(code) ? refusal : Self.notGranted(code)
            return EventLoop.start { [weak self] in self?.report(.unitStopped(id, failure: reason)) }
        }
        held[id] = code
        call(KeyInterface.press, KeyInterface.KeyRequest(code)) { keys, failure in
            guard keys.held[id] != nil else { return }
            if let failure {
                keys.held[id] = nil
                return keys.report(.unitStopped(id, failure: failure.reason))
            }
            keys.backOff.reset()
            keys.report(.unitStarted(id))
        }
    }

    /// Returns false if the press holds no key.
    func release(_ id: PressID) -> Bool {
        guard let code = held.removeValue(forKey: id) else { return false }
        // Another button holds it too.
        guard !held.values.contains(code) else {
            EventLoop.start { [weak self] in self?.report(.unitStopped(id, failure: nil)) }
            return true
        }
        call(KeyInterface.release, KeyInterface.KeyRequest(code)) { keys, failure in
            // A device whose key may be down is removed.
            if let failure, failure.isAnswer { keys.lost(failure.reason) }
            keys.report(.unitStopped(id, failure: failure?.reason))
        }
        return true
    }

    private func call<Request>(
        _ method: InterfaceMethod<Request, NoParameters>,
        _ request: Request,
        timeLimit: Duration = .seconds(5),
        then: @escaping @EventLoop (VirtualKeys, Failure?) -> Void
    ) {
        let client = client
        client?.call(method.qualifiedName, .encoding(request), timeLimit: timeLimit) {
            [weak self, weak client] answer in
            guard let self else { return }
            switch answer {
            case .success: then(self, nil)
            case .failure(.answered(let error)):
                let reason = error.parameters["reason"]?.string ?? "\(error)"
                then(self, Failure(reason: reason, isAnswer: true))
            case .failure(let error):
                // First, because the report of a release may begin a press, which needs another device.
                if client === self.client { lost("\(error)") }
                then(self, Failure(reason: refusal, isAnswer: false))
            }
        }
    }
}

extension KeyInterface.KeyRequest {
    fileprivate init(_ code: UInt16) { self.init(key: Action.Work.key(code).description) }
}

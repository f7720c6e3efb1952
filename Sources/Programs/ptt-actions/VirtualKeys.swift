import AccessoryCore
import EventLoop
import JSON
import Logging
import PTTMessages
import Varlink

/// The keys that presses hold, of a virtual input device that ptt-keys makes.
///
/// The device exists as long as one connection, so that programs know it before a key of it is pressed. The
/// end of the connection is the release of all its keys, in whatever way this process or ptt-keys ends.
@EventLoop
final class VirtualKeys {
    private struct Held {
        let code: UInt16
        /// ptt-keys has answered.
        var isDown = false
    }

    private let path: String
    private let log: Logger
    private var client: VarlinkClient?
    private var offered: Set<UInt16> = []
    private var held: [PressID: Held] = [:]
    /// The last refusal, which is logged once.
    private var refusal = ""

    /// To be set before the loop runs.
    var report: @EventLoop (ActionPresses.Event) -> Void = { _ in }

    init(_ path: String = KeyInterface.socket, log: Logger) {
        self.path = path
        self.log = log
    }

    /// Sets which keys the device has. There is none while they are empty, or ptt-keys refuses them.
    func offer(_ keys: Set<UInt16>) {
        guard keys != offered || client == nil else { return }
        // A device has the keys that it was made with.
        close("the keys of actions.toml have changed")
        offered = keys
        if !keys.isEmpty { connect() }
    }

    private func connect() {
        do throws(SystemError) {
            let client = try VarlinkClient(connectingTo: path)
            self.client = client
            client.onClose = { [weak self] in self?.close("\($0)") }
            let names = offered.sorted().map { Action.Work.key($0).description }
            call(KeyInterface.offer, KeyInterface.OfferRequest(keys: names)) { keys, failure in
                guard let failure else {
                    keys.refusal = ""
                    return
                }
                keys.close(failure)
            }
        } catch {
            refused("\(error). No key is offered: see `sudo pttctl grant actions KEY`")
        }
    }

    private func refused(_ reason: String) {
        if reason != refusal { log.warning("\(reason)") }
        refusal = reason
    }

    /// The kernel has released all keys, or will at once.
    private func close(_ reason: String) {
        guard let client else { return }
        let ended = held
        (self.client, held) = (nil, [:])
        client.onClose = nil
        // Calls that are under way fail now.
        client.close()
        refused(reason)
        for (id, key) in ended.sorted(by: { $0.key < $1.key }) {
            report(key.isDown ? .unitStopped(id, failure: reason) : .unitFailed(id, reason: reason))
        }
    }

    func press(_ id: PressID, _ code: UInt16) {
        // It may have been refused before the person was at the seat, or root had granted the key.
        if client == nil { connect() }
        guard client != nil else {
            return EventLoop.start { [weak self] in
                if let self { report(.unitFailed(id, reason: refusal)) }
            }
        }
        held[id] = Held(code: code)
        call(KeyInterface.press, KeyInterface.KeyRequest(code)) { keys, failure in
            guard keys.held[id] != nil else { return }
            if let failure {
                keys.held[id] = nil
                return keys.report(.unitFailed(id, reason: failure))
            }
            keys.held[id]?.isDown = true
            keys.report(.unitStarted(id))
        }
    }

    /// Returns false if the press holds no key.
    func release(_ id: PressID) -> Bool {
        guard let key = held.removeValue(forKey: id) else { return false }
        // Another button holds it too.
        guard !held.values.contains(where: { $0.code == key.code }) else {
            EventLoop.start { [weak self] in self?.report(.unitStopped(id, failure: nil)) }
            return true
        }
        call(KeyInterface.release, KeyInterface.KeyRequest(key.code)) { keys, failure in
            // A device whose key may be down is removed.
            if let failure { keys.close(failure) }
            keys.report(.unitStopped(id, failure: failure))
        }
        return true
    }

    private func call<Request>(
        _ method: InterfaceMethod<Request, NoParameters>,
        _ request: Request,
        then: @escaping @EventLoop (VirtualKeys, _ failure: String?) -> Void
    ) {
        client?.call(method.qualifiedName, .encoding(request)) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .success: then(self, nil)
            case .failure(.answered(let error)):
                then(self, error.parameters["reason"]?.string ?? "\(error)")
            case .failure(let error): then(self, "\(error)")
            }
        }
    }
}

extension KeyInterface.KeyRequest {
    fileprivate init(_ code: UInt16) { self.init(key: Action.Work.key(code).description) }
}

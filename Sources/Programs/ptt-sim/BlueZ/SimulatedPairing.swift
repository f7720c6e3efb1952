import DBus
import EventLoop

/// `Device1.Pair`, for "just works" pairing of a device without input and output.
@EventLoop
final class SimulatedPairing {
    private unowned let device: SimulatedDevice
    private var call: MethodInvocation?
    /// bluetoothd 5.66 pairs but never answers a `Pair` that was called while services were being resolved.
    private var isAnswered = true
    private var unanswered: [MethodInvocation] = []
    /// True if this pairing waits for a link that it has requested.
    private(set) var needsLink = false

    init(of device: SimulatedDevice) { self.device = device }

    func start(_ call: MethodInvocation) {
        guard !device.stored.isPaired else { return call.fail(.alreadyExists) }
        guard self.call == nil else { return call.fail(.inProgress) }
        guard device.adapter.isPowered else { return call.fail(.notReady) }
        self.call = call
        isAnswered = !device.isResolving
        if device.isConnected {
            authorize(call)
        } else {
            needsLink = true
            device.waitForLink()
        }
    }

    func cancel(_ call: MethodInvocation) {
        guard self.call != nil else { return call.fail(.doesNotExist) }
        fail(.authenticationCanceled)
        call.reply()
    }

    func linked() {
        guard needsLink, let call else { return }
        needsLink = false
        authorize(call)
    }

    func fail(_ error: BusError) {
        needsLink = false
        call?.fail(error)
        call = nil
    }

    private func authorize(_ call: MethodInvocation) {
        let daemon = device.adapter.daemon
        guard let agent = daemon.agent(for: call.sender) else { return fail(.authenticationFailed) }
        let request = agent.call("RequestAuthorization", of: BlueZNames.agent, [.objectPath(device.path)])
        daemon.connection.call(request, timeout: .seconds(60)) { [weak self] result in
            guard let self, self.call === call else { return }
            switch result {
            case .success: succeeded(call)
            case .failure: fail(.authenticationRejected)
            }
        }
    }

    private func succeeded(_ call: MethodInvocation) {
        device.stored.isPaired = true
        if device.stored.reveal() { device.changed("Address") }
        device.changed("Paired", "Bonded")
        self.call = nil
        if isAnswered {
            call.reply()
        } else {
            unanswered.append(call)
        }
    }
}

package import EventLoop

extension AudioServer {
    /// Reports changes of the server's devices, streams and modules.
    ///
    /// It survives a loss of the connection, but what changes meanwhile is not reported: list again when
    /// ``state`` becomes `ready`. Without observations the server reports nothing, and causes no wake-ups.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of things whose changes are reported.
    ///   - changed: Called with each change.
    /// - Returns: The subscription, which ends when it is dropped.
    package func observe(
        _ kinds: Set<DeviceKind>,
        _ changed: @escaping @EventLoop (SoundDeviceEvent) -> Void
    ) -> Subscription {
        observers.add(kinds, changed)
    }

    /// Lists what the server has now.
    ///
    /// - Parameters:
    ///   - kinds: The default devices are listed with `server`.
    ///   - completion: Called exactly once, possibly during this call.
    package func list(
        _ kinds: Set<DeviceKind>,
        completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void
    ) {
        send(DeviceQuery("list the audio devices", of: kinds, completion: completion))
    }

    /// Changes something that the server has.
    ///
    /// - Parameters:
    ///   - action: Completes "could not …".
    ///   - change: The thing to change, and how.
    ///   - completion: Called exactly once, possibly during this call.
    package func change(
        _ action: String,
        _ change: DeviceChange,
        completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void
    ) {
        send(ChangeRequest(action, change, completion: completion))
    }

    /// Sends a request, whose result may be reported during this call.
    func send(_ request: any ConnectionRequest) {
        do throws(AudioError) {
            try connected(request.action).send(request)
        } catch {
            request.fail(error.reason, error.kind)
        }
    }
}

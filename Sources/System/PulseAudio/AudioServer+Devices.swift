package import EventLoop

extension AudioServer {
    /// Reports changes of the server's devices, streams and modules.
    ///
    /// It survives a loss of the connection, but what changes meanwhile is not reported: list again when
    /// ``state`` becomes `ready`. Without observations the server reports nothing, and causes no wake-ups.
    package func observe(
        _ kinds: Set<DeviceKind>,
        _ changed: @escaping @EventLoop (SoundDeviceEvent) -> Void
    ) -> Subscription {
        observers.add(kinds, changed)
    }

    /// Lists what the server has now; the default devices are listed with `server`. `completion` is called
    /// exactly once, possibly during this call.
    package func list(
        _ kinds: Set<DeviceKind>,
        completion: @escaping @EventLoop (Result<AudioDevices, AudioError>) -> Void
    ) {
        send(DeviceQuery("list the audio devices", of: kinds, completion: completion))
    }

    /// Changes something that the server has. `action` completes "could not …"; `completion` is called
    /// exactly once, possibly during this call.
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

import AccessoryCore
import DBus
import EventLoop
import PTTMessages

extension Pairing {
    /// Bonds with a serial microphone, trusts it, and waits until its port is open. `Connect` of a device
    /// that has nothing but a serial port fails, although the link is up.
    func prepareSerial(
        _ target: Target,
        _ definition: AccessoryDefinition
    ) async throws(RequestFailure) -> AccessoryDevice {
        buttons.mirror.watch(target.path, BlueZ.device)
        if definition.connection.bonding != .never, !(try device(target).isPaired) { try await bond(target) }
        try await trust(target)
        let (buttons, path) = (buttons, target.path)
        buttons.microphones[path]?.connector.wanted()
        let isReady = await buttons.changes.wait(for: Self.readyTimeout) {
            buttons.microphones[path]?.isReady ?? false
        }
        if isReady, let device = buttons.microphones[path]?.device { return device }
        let reason = buttons.microphones[path]?.failure ?? "it did not answer"
        throw .failed(
            "it is trusted, but its serial port cannot be opened (\(reason)): switch it off and on; if that does "
                + "not help, `pttctl repair \(target.address)`"
        )
    }
}

import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import ServiceClient

// The orders of its machine.
extension BluetoothButton {
    /// Reads the value of an input. A late answer is recognised by the number of the subscription.
    func read(_ input: Int) {
        let subscription = subscriptions[input]
        guard let characteristic = observed.characteristics[input], let connection = mirror.connection else {
            return handle(.fenceAnswered(input, .refused))
        }
        let call = BlueZ.call("ReadValue", of: BlueZ.characteristic, on: characteristic, [.properties([:])])
        connection.call(call) { [weak self] result in
            guard let self, subscription == subscriptions[input], self.input(at: characteristic) == input
            else { return }
            switch result {
            case .success(let values):
                handle(.fenceAnswered(input, values.first?.asBytes.map { .value($0) } ?? .refused))
            case .failure(let error):
                // Any other refusal is as good as an answer: most of these buttons have no value to read.
                handle(.fenceAnswered(input, error.isNotConnected ? .notConnected : .refused))
            }
        }
    }

    /// Breaks the link, and lets the button come back. After `Disconnect`, BlueZ does not accept the device
    /// again before `Connect` was called, whether or not that call succeeds (`disable_auto_connect` in
    /// src/device.c).
    func reconnect() {
        guard let connection = mirror.connection else { return }
        let path = path
        let disconnect = BlueZ.call("Disconnect", of: BlueZ.device, on: path)
        connection.call(disconnect) { [weak connection] _ in
            // Its failure changes nothing: the machine repeats the order while the link is up.
            let connect = BlueZ.call("Connect", of: BlueZ.device, on: path)
            connection?.call(connect, timeout: Self.connectTimeout) { _ in
                // BlueZ connects by itself from now on.
            }
        }
    }

    /// Turns the notifications of an input on.
    func subscribe(_ input: Int) {
        let subscription = (subscriptions[input] ?? 0) + 1
        subscriptions[input] = subscription
        guard let characteristic = observed.characteristics[input], mirror.connection != nil else {
            return handle(.notificationsFailed(input, reason: "the characteristic was removed"))
        }
        let start = MonotonicInstant.now
        mirror.notifications.start(characteristic, for: self) { [weak self] result in
            guard let self, subscription == subscriptions[input], self.input(at: characteristic) == input
            else { return }
            switch result {
            case .success:
                subscriptionFailure = nil
                diagnosis.answered(after: .now - start)
                handle(.notificationsEnabled(input))
                if let device = mirror.objects.devices[path] { updateAdvice(device) }
            case .failure(let error):
                subscriptionFailure = error.description
                handle(.notificationsFailed(input, reason: error.description))
            }
        }
    }
}

extension BusError {
    /// BlueZ has no link to the device over which it could read (`characteristic_read_value` in
    /// src/gatt-client.c).
    var isNotConnected: Bool {
        name == "org.bluez.Error.NotConnected"
            || name == "org.bluez.Error.Failed" && message == "Not connected"
    }
}

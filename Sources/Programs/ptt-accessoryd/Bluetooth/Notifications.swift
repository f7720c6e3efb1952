import DBus
import EventLoop
import Logging

/// Turns the notifications of characteristics on and off, so that a notification can be told from a read.
///
/// Any local user may read a characteristic (`ReadValue`), and bluetoothd signals the result as it signals a
/// notification: by `PropertiesChanged` with `Value`. But a notification is signalled once for each client
/// that has called `StartNotify`, one signal right after the other, and a read once, followed by the answer
/// to its reader (`notify_cb` and `chrc_read_cb` in src/gatt-client.c; seen with bluetoothd 5.66, and read
/// from 5.66 to 5.86). Therefore this program is two clients, and ``NotifiedValue`` compares the signals.
/// `AcquireNotify`, whose socket carries notifications alone, is no way: before bluetoothd 5.84 a link that
/// is lost during the call leaves the characteristic locked until bluetoothd is restarted, and before 5.86
/// bluetoothd may crash when its client ends.
@EventLoop
final class Notifications {
    /// BlueZ 5.66 never answers if the button refuses the subscription.
    private static let timeout = Duration.seconds(10)

    private let log: Logger
    private var first: BusConnection?
    /// Receives no signals.
    private var second: BusConnection?
    /// The users of the notifications of each characteristic.
    private var users: [ObjectPath: Set<ObjectIdentifier>] = [:]

    init(log: Logger) {
        self.log = log
    }

    /// Opens the second connection, which ends with the first one, and ends it.
    func connect(beside first: BusConnection, then ready: @escaping @EventLoop () -> Void) {
        close()
        self.first = first
        EventLoop.start { [weak self, weak first] in
            guard let first else { return }
            do throws(BusError) {
                let second = try await BusConnection.open(first.address)
                guard let self, self.first === first else { return second.close() }
                second.onLost = { [weak first] error in first?.fail(with: error) }
                self.second = second
                ready()
            } catch {
                first.fail(with: error)
            }
        }
    }

    /// Ends the second connection, and with it its subscriptions.
    func close() {
        forget()
        second?.close()
        (first, second) = (nil, nil)
    }

    /// bluetoothd has ended, and all subscriptions with it.
    func forget() { users = [:] }

    /// Turns the notifications of a characteristic on, for a user. Repeated calls do no harm.
    func start(
        _ characteristic: ObjectPath,
        for user: AnyObject,
        completion: @escaping BusConnection.Completion
    ) {
        guard let first, let second else { return completion(.failure(.failed("bluetoothd is not running"))) }
        let identifier = ObjectIdentifier(user)
        users[characteristic, default: []].insert(identifier)
        let call = BlueZ.call("StartNotify", of: BlueZ.characteristic, on: characteristic)
        // The second one then is answered without a message to the button.
        first.call(call, timeout: Self.timeout) { [weak self, weak user] result in
            guard let self, let user, users[characteristic]?.contains(identifier) == true else {
                return completion(.failure(.failed("its notifications are not needed any more")))
            }
            if case .failure(let error) = result {
                // Nothing to stop: to stop what another program has acquired would end that.
                if error.kind != .noReply { users[characteristic]?.remove(identifier) }
                return completion(result)
            }
            second.call(call, timeout: Self.timeout) { [weak self, weak user] result in
                if case .failure = result, let user { self?.stop(characteristic, for: user) }
                completion(result)
            }
        }
    }

    /// Turns the notifications off, unless there is another user of them.
    func stop(_ characteristic: ObjectPath, for user: AnyObject) {
        guard users[characteristic]?.remove(ObjectIdentifier(user)) != nil,
            users[characteristic]?.isEmpty == true
        else { return }
        users[characteristic] = nil
        let call = BlueZ.call("StopNotify", of: BlueZ.characteristic, on: characteristic)
        for connection in [first, second] {
            connection?.call(call, timeout: Self.timeout) { [log] result in
                // The subscription failed, or the characteristic was removed.
                if case .failure(let error) = result { log.debug("\(error)") }
            }
        }
    }
}

/// Tells the notifications of one characteristic from reads: of a notification, two signals come with
/// consecutive numbers. Between the signals of two reads is an answer.
struct NotifiedValue {
    private var last: (value: [UInt8], serial: UInt32)?

    /// - Returns: True if this signal is the second one of a notification.
    mutating func isNotified(_ value: [UInt8], serial: UInt32) -> Bool {
        if let last, serial == last.serial &+ 1, value == last.value {
            // With a third client the signals of one notification are more than two.
            self.last = nil
            return true
        }
        last = (value, serial)
        return false
    }
}

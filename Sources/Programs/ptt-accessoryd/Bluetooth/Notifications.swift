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
    /// The characteristics whose `StartNotify` is unanswered, each with what waits for the answer.
    ///
    /// After a `StopNotify` meanwhile bluetoothd answers none over the same link: it cancels the write of the
    /// configuration, and waits for its end for good (`complete_unregister_notify` in
    /// src/shared/gatt-client.c; seen with 5.66).
    private var starting: [ObjectPath: [@EventLoop () -> Void]] = [:]

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
    func forget() {
        let waiting = starting.values.joined()
        (users, starting) = ([:], [:])
        for start in waiting { start() }
    }

    /// Turns the notifications of a characteristic on, for a user. Repeated calls do no harm.
    func start(
        _ characteristic: ObjectPath,
        for user: AnyObject,
        completion: @escaping BusConnection.Completion
    ) {
        guard let first, let second else { return completion(.failure(.failed("bluetoothd is not running"))) }
        users[characteristic, default: []].insert(ObjectIdentifier(user))
        guard starting[characteristic] == nil else {
            starting[characteristic]?.append { [weak self, weak user] in
                guard let self, let user, isUsed(characteristic, by: user) else {
                    return completion(Self.unneeded)
                }
                start(characteristic, for: user, completion: completion)
            }
            return
        }
        starting[characteristic] = []
        let call = BlueZ.call("StartNotify", of: BlueZ.characteristic, on: characteristic)
        first.call(call, timeout: Self.timeout) { [weak self, weak user] result in
            if case .failure(let error) = result {
                // Nothing to stop: to stop what another program has acquired would end that.
                let isRefused = error.kind != .noReply
                if isRefused, let user { self?.users[characteristic]?.remove(ObjectIdentifier(user)) }
                self?.answered(characteristic, mayBeOn: !isRefused)
                return completion(result)
            }
            // Answered without a message to the button.
            second.call(call, timeout: Self.timeout) { [weak self, weak user] result in
                if case .failure = result, let user { self?.stop(characteristic, for: user) }
                self?.answered(characteristic, mayBeOn: true)
                completion(self?.isUsed(characteristic, by: user) == true ? result : Self.unneeded)
            }
        }
    }

    private static let unneeded = Result<[BusValue], BusError>.failure(
        .failed("its notifications are not needed any more")
    )

    private func isUsed(_ characteristic: ObjectPath, by user: AnyObject?) -> Bool {
        user.map { users[characteristic]?.contains(ObjectIdentifier($0)) == true } ?? false
    }

    private func answered(_ characteristic: ObjectPath, mayBeOn: Bool) {
        guard let waiting = starting.removeValue(forKey: characteristic) else { return }
        if mayBeOn, users[characteristic] == nil { turnOff(characteristic) }
        for start in waiting { start() }
    }

    /// Turns the notifications off, unless there is another user of them.
    func stop(_ characteristic: ObjectPath, for user: AnyObject) {
        guard users[characteristic]?.remove(ObjectIdentifier(user)) != nil,
            users[characteristic]?.isEmpty == true
        else { return }
        users[characteristic] = nil
        if starting[characteristic] == nil { turnOff(characteristic) }
    }

    private func turnOff(_ characteristic: ObjectPath) {
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

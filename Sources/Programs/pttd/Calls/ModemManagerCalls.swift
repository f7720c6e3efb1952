import DBus
import EventLoop
import Journal
import PTTCore

/// The calls of ModemManager's modems, by the interfaces `Modem.Voice` and `Call` of its D-Bus interface.
///
/// Only properties are read: `Modem.Voice.ListCalls` needs an authorisation of polkit.
@EventLoop
final class ModemManagerCalls: CallService {
    private static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    private static let voice = "org.freedesktop.ModemManager1.Modem.Voice"
    private static let call = "org.freedesktop.ModemManager1.Call"
    // Of `MMCallState`.
    private static let unknown = 0
    private static let terminated = 7

    init(log: RateLimitedLog, report: @escaping @EventLoop (ActiveCalls.Event) -> Void) {
        super.init("org.freedesktop.ModemManager1", .modemManager, log: log, report: report)
    }

    override func subscribe() {
        subscribe(to: Self.voice) { [weak self] signal in
            guard let path = signal.arguments.first?.asObjectPath else { return }
            switch signal.member {
            case "CallAdded": self?.read(path)
            case "CallDeleted": self?.setCall(path.text, isActive: false)
            // A later version may add signals.
            default: break
            }
        }
        subscribe(to: Self.call, "StateChanged") { [weak self] signal in
            // The old state, the new one, the reason.
            guard signal.arguments.count == 3, let state = signal.arguments[1].asInt else { return }
            self?.set(signal.path, state)
        }
        // A modem with calls that comes, or is pulled out: no signal of the modem reports the end of its
        // calls then.
        let objects = "org.freedesktop.DBus.ObjectManager"
        subscribe(to: objects, path: Self.root) { [weak self] _ in self?.list() }
    }

    override func list() {
        ask(.getManagedObjects(of: name, path: Self.root)) { [weak self] values in
            let objects = values?.first?.asManagedObjects ?? [:]
            let paths = objects.values.flatMap { interfaces in
                interfaces[BusKey(Self.voice)]?["Calls"]?.asArray?.compactMap(\.asObjectPath) ?? []
            }
            let known = paths.prefix(ActiveCalls.limit)
            self?.report(.retained(.modemManager, prefix: "", ids: Set(known.map(\.text))))
            for path in known { self?.read(path) }
        }
    }

    private func read(_ path: ObjectPath) {
        let call = RemoteInterface(service: name, path: path, name: Self.call)
        ask(call.get("State")) { [weak self] values in
            // A call without an object has ended.
            self?.set(path, values?.first?.asInt ?? Self.terminated)
        }
    }

    private func set(_ path: ObjectPath, _ state: Int) {
        // A call is unknown until it is dialled, and terminated until it is deleted. It counts while it is
        // dialled (1), rings (2, 3), is active (4), is held (5) or waits (6), and in states that later
        // versions may add.
        setCall(path.text, isActive: state != Self.unknown && state != Self.terminated)
    }
}

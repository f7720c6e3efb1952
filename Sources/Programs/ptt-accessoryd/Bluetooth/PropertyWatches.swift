import DBus
import EventLoop

/// Subscriptions to the property changes of BlueZ's objects of one interface, with few match rules.
///
/// A rule for each object causes no wake-ups by other ones, such as the changing signal strengths of devices
/// nearby. But the bus compares every signal with every rule, and closes the way to more than 512 of a
/// connection (`max_match_rules_per_connection`). Therefore many objects share one rule.
@EventLoop
final class PropertyWatches {
    /// The most objects that have a rule each. They have one each again when half of that number is left.
    static nonisolated let maximumRules = 32

    private let interface: String
    private let handler: @EventLoop (BusSignal) -> Void
    private var paths: Set<ObjectPath> = []
    private var rules: [ObjectPath: Subscription] = [:]
    private var sharedRule: Subscription?

    init(_ interface: String, handler: @escaping @EventLoop (BusSignal) -> Void) {
        self.interface = interface
        self.handler = handler
    }

    /// - Returns: True if the object was not watched before.
    func add(_ path: ObjectPath, on connection: BusConnection) -> Bool {
        guard paths.insert(path).inserted else { return false }
        if sharedRule == nil, paths.count > Self.maximumRules {
            // Before the others end, so that no signal is missed.
            sharedRule = Self.subscribe(to: interface, on: connection, handler)
            rules = [:]
        }
        if sharedRule == nil { subscribe(to: path, on: connection) }
        return true
    }

    func remove(_ path: ObjectPath, on connection: BusConnection?) {
        guard paths.remove(path) != nil else { return }
        rules[path] = nil
        guard sharedRule != nil, let connection, paths.count <= Self.maximumRules / 2 else { return }
        for path in paths { subscribe(to: path, on: connection) }
        sharedRule = nil
    }

    func removeAll() {
        paths = []
        rules = [:]
        sharedRule = nil
    }

    /// Subscribes to the changes of all objects of an interface.
    static func subscribe(
        to interface: String,
        on connection: BusConnection,
        _ handler: @escaping @EventLoop (BusSignal) -> Void
    ) -> Subscription {
        let rule = MatchRule(
            sender: BlueZ.name,
            pathNamespace: BlueZ.root,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            firstArgument: interface
        )
        return connection.subscribe(rule, handler: handler)
    }

    private func subscribe(to path: ObjectPath, on connection: BusConnection) {
        let changes = BlueZ.remote(interface, of: path).propertyChanges
        rules[path] = connection.subscribe(changes, handler: handler)
    }
}

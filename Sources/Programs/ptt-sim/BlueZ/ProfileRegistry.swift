import DBus
import EventLoop

/// `org.bluez.GattManager1`: the `GattProfile1` objects that applications have registered. bluetoothd
/// connects devices with such a profile automatically.
@EventLoop
final class ProfileRegistry {
    private struct Application {
        let owner: String
        let path: ObjectPath
        /// Nil until the application's objects have been read.
        var uuids: Set<String>?
    }

    private unowned let adapter: SimulatedAdapter
    private var applications: [Application] = []

    init(of adapter: SimulatedAdapter) { self.adapter = adapter }

    func contains(_ uuid: String) -> Bool {
        applications.contains { $0.uuids?.contains(uuid) == true }
    }

    func clientLeft(_ client: String) {
        applications.removeAll { $0.owner == client }
    }

    var interface: ExportedInterface {
        ExportedInterface(
            BlueZ.gattManager,
            methods: [
                ExportedMethod(
                    "RegisterApplication",
                    inputs: ["application": "o", "options": "a{sv}"]
                ) { [unowned self] in register($0) },
                ExportedMethod("UnregisterApplication", inputs: ["application": "o"]) { [unowned self] in
                    unregister($0)
                },
            ]
        )
    }

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath else { return }
        let owner = call.sender
        guard index(of: owner, path) == nil else { return call.fail(.alreadyExists) }
        applications.append(Application(owner: owner, path: path, uuids: nil))
        adapter.daemon.watch(owner)
        adapter.daemon.connection.call(.getManagedObjects(of: owner, path: path)) { [weak self] result in
            guard let self, let index = index(of: owner, path) else { return }
            let uuids = Self.profiles(in: result)
            guard !uuids.isEmpty else {
                applications.remove(at: index)
                return call.fail(.bluezFailed("No object received"))
            }
            applications[index].uuids = uuids
            call.reply()
            adapter.radioChanged()
        }
    }

    private func unregister(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath, let index = index(of: call.sender, path) else {
            return call.fail(.doesNotExist)
        }
        applications.remove(at: index)
        call.reply()
    }

    private func index(of owner: String, _ path: ObjectPath) -> Int? {
        applications.firstIndex { $0.owner == owner && $0.path == path }
    }

    private static func profiles(in result: Result<[BusValue], BusError>) -> Set<String> {
        guard case .success(let values) = result, let objects = values.first?.asManagedObjects else {
            return []
        }
        let uuids = objects.values.compactMap { $0[BusKey(BlueZ.gattProfile)]?["UUIDs"]?.asStrings }
        return Set(uuids.joined().map { $0.lowercased() })
    }
}

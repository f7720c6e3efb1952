import DBus
import EventLoop

/// `org.bluez.GattManager1`: the `GattProfile1` objects that applications have registered. bluetoothd
/// connects devices with such a profile automatically.
@EventLoop
final class ProfileRegistry {
    private unowned let adapter: SimulatedAdapter
    /// The services of each application; none until its objects have been read.
    private var applications: [ClientObject: Set<String>] = [:]

    init(of adapter: SimulatedAdapter) { self.adapter = adapter }

    func contains(_ uuid: String) -> Bool {
        applications.values.contains { $0.contains(uuid) }
    }

    func clientLeft(_ client: String) {
        applications = applications.filter { $0.key.owner != client }
    }

    var interface: ExportedInterface {
        ExportedInterface(
            BlueZNames.gattManager,
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
        let application = ClientObject(owner: owner, path: path)
        guard applications[application] == nil else { return call.fail(.alreadyExists) }
        applications[application] = []
        adapter.daemon.watch(owner)
        adapter.daemon.connection.call(.getManagedObjects(of: owner, path: path)) { [weak self] result in
            guard let self, applications[application] != nil else { return }
            let uuids = Self.profiles(in: result)
            guard !uuids.isEmpty else {
                applications[application] = nil
                return call.fail(.bluezFailed("No object received"))
            }
            applications[application] = uuids
            call.reply()
            adapter.radioChanged()
        }
    }

    private func unregister(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath,
            applications.removeValue(forKey: ClientObject(owner: call.sender, path: path)) != nil
        else { return call.fail(.doesNotExist) }
        call.reply()
    }

    private static func profiles(in result: Result<[BusValue], BusError>) -> Set<String> {
        guard case .success(let values) = result, let objects = values.first?.asManagedObjects else {
            return []
        }
        let uuids = objects.values.compactMap { $0[BusKey(BlueZNames.gattProfile)]?["UUIDs"]?.asStrings }
        return Set(uuids.joined().map { $0.lowercased() })
    }
}

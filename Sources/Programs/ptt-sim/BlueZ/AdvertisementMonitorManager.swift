import DBus
import EventLoop

/// `org.bluez.AdvertisementMonitorManager1` of an adapter: the clients that monitor advertisements. All
/// patterns match.
@EventLoop
final class AdvertisementMonitorManager {
    private unowned let adapter: SimulatedAdapter
    private var applications: [ClientObject] = []
    private var activated: Set<String> = []

    init(of adapter: SimulatedAdapter) {
        self.adapter = adapter
    }

    var isActive: Bool { !activated.isEmpty }

    func clientLeft(_ client: String) {
        applications.removeAll { $0.owner == client }
        activated.remove(client)
    }

    var interface: ExportedInterface {
        ExportedInterface(
            BlueZ.advertisementMonitorManager,
            methods: [
                ExportedMethod("RegisterMonitor", inputs: ["application": "o"]) { [unowned self] in
                    register($0)
                },
                ExportedMethod("UnregisterMonitor", inputs: ["application": "o"]) { [unowned self] in
                    unregister($0)
                },
            ],
            properties: [
                ExportedProperty("SupportedMonitorTypes", "as") { .strings(["or_patterns"]) }
            ]
        )
    }

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath else { return }
        guard !applications.contains(where: { $0.owner == call.sender }) else {
            return call.fail(.alreadyExists)
        }
        applications.append(ClientObject(owner: call.sender, path: path))
        adapter.daemon.watch(call.sender)
        call.reply()
        let client = call.sender
        adapter.daemon.connection.call(.getManagedObjects(of: client, path: path)) { [weak self] result in
            guard case .success(let values) = result else { return }
            self?.activate(values.first?.asManagedObjects ?? [:], of: client)
        }
    }

    private func activate(_ objects: [ObjectPath: [BusKey: [BusKey: BusValue]]], of client: String) {
        for (path, interfaces) in objects {
            guard let monitor = interfaces[BusKey(BlueZ.advertisementMonitor)],
                monitor["Type"]?.asString == "or_patterns", monitor["Patterns"] != nil
            else { continue }
            activated.insert(client)
            let call = ClientObject(owner: client, path: path)
                .call("Activate", of: BlueZ.advertisementMonitor)
            // bluetoothd waits for no answer either.
            adapter.daemon.connection.call(call) { _ in }
        }
    }

    private func unregister(_ call: MethodInvocation) {
        guard applications.contains(where: { $0.owner == call.sender }) else {
            return call.fail(.doesNotExist)
        }
        clientLeft(call.sender)
        call.reply()
    }
}

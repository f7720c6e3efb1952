import DBus
import EventLoop

/// `org.bluez.AdvertisementMonitorManager1` of an adapter: the clients that monitor advertisements. All
/// patterns match.
@EventLoop
final class AdvertisementMonitorManager {
    private unowned let adapter: SimulatedAdapter
    /// By the clients that have registered one, whether a monitor of theirs is active.
    private var applications: [String: Bool] = [:]

    init(of adapter: SimulatedAdapter) {
        self.adapter = adapter
    }

    var isActive: Bool { applications.values.contains(true) }

    func clientLeft(_ client: String) { applications[client] = nil }

    var interface: ExportedInterface {
        ExportedInterface(
            BlueZNames.advertisementMonitorManager,
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
        let client = call.sender
        guard applications[client] == nil else { return call.fail(.alreadyExists) }
        applications[client] = false
        adapter.daemon.watch(client)
        call.reply()
        adapter.daemon.connection.call(.getManagedObjects(of: client, path: path)) { [weak self] result in
            guard case .success(let values) = result else { return }
            self?.activate(values.first?.asManagedObjects ?? [:], of: client)
        }
    }

    private func activate(_ objects: [ObjectPath: [BusKey: [BusKey: BusValue]]], of client: String) {
        for (path, interfaces) in objects {
            guard let monitor = interfaces[BusKey(BlueZNames.advertisementMonitor)],
                monitor["Type"]?.asString == "or_patterns", monitor["Patterns"] != nil
            else { continue }
            applications[client]? = true
            let call = ClientObject(owner: client, path: path)
                .call("Activate", of: BlueZNames.advertisementMonitor)
            // bluetoothd waits for no answer either.
            adapter.daemon.connection.call(call) { _ in }
        }
    }

    private func unregister(_ call: MethodInvocation) {
        guard applications.removeValue(forKey: call.sender) != nil else { return call.fail(.doesNotExist) }
        call.reply()
    }
}

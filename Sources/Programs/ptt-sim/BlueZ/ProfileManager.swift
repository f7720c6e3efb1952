import DBus
import EventLoop

/// `org.bluez.ProfileManager1`: who has registered which service class. One `Profile1` for each in all of
/// bluetoothd.
@EventLoop
final class ProfileManager {
    private unowned let daemon: SimulatedDaemon
    /// By service class.
    private(set) var profiles: [String: ClientObject] = [:]

    init(of daemon: SimulatedDaemon) { self.daemon = daemon }

    func clientLeft(_ client: String) {
        profiles = profiles.filter { $0.value.owner != client }
    }

    var interface: ExportedInterface {
        ExportedInterface(
            BlueZ.profileManager,
            methods: [
                ExportedMethod(
                    "RegisterProfile",
                    inputs: ["profile": "o", "UUID": "s", "options": "a{sv}"]
                ) { [unowned self] in register($0) },
                ExportedMethod("UnregisterProfile", inputs: ["profile": "o"]) { [unowned self] in
                    unregister($0)
                },
            ]
        )
    }

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath, let uuid = call.arguments[1].asString else { return }
        let profile = ClientObject(owner: call.sender, path: path)
        guard !profiles.values.contains(profile) else { return call.fail(.alreadyExists) }
        guard profiles[uuid] == nil else { return call.fail(.uuidRegistered) }
        profiles[uuid] = profile
        daemon.watch(call.sender)
        call.reply()
    }

    private func unregister(_ call: MethodInvocation) {
        let path = call.arguments[0].asObjectPath
        guard let found = profiles.first(where: { $0.value.owner == call.sender && $0.value.path == path })
        else { return call.fail(.doesNotExist) }
        profiles[found.key] = nil
        call.reply()
    }
}

import DBus
import EventLoop

/// bluetoothd 5.66 as its clients see it: one adapter, and the clients' registrations.
@EventLoop
final class SimulatedDaemon {
    let connection: BusConnection
    /// True if it offers its experimental interfaces (`Experimental` of main.conf).
    let isExperimental: Bool
    private(set) var adapter: SimulatedAdapter?
    /// The `Profile1` objects, by service class: each has at most one.
    private(set) var profiles: [String: ClientObject] = [:]

    private let accessories: [any VirtualAccessory]
    private var objects: [ExportedObject] = []
    /// Each client has at most one.
    private var agents: [String: ObjectPath] = [:]
    private var defaultAgent: String?
    private var clients: [String: Subscription] = [:]

    /// Acquires BlueZ's name on the bus; ``plug()`` adds the adapter.
    ///
    /// - Throws: If the bus cannot be reached, or the name is taken.
    init(
        on bus: BusAddress,
        accessories: [any VirtualAccessory],
        isExperimental: Bool
    ) async throws(BusError) {
        self.accessories = accessories
        self.isExperimental = isExperimental
        connection = try await BusConnection.open(bus)
        guard try await connection.requestName(BlueZNames.name) else {
            throw .failed("\(BlueZNames.name) is taken on \(bus)")
        }
        objects.append(try connection.export("/", isManager: true))
        objects.append(try connection.export(BlueZNames.root, [agentManager, profileManager]))
    }

    /// Disconnects immediately, without removing its objects first.
    func crash() { connection.close() }

    /// Adds an adapter, powered on (AutoEnable), with the stored devices.
    func plug() throws(BusError) {
        guard adapter == nil else { return }
        let adapter = SimulatedAdapter(of: self, accessories)
        self.adapter = adapter
        try adapter.appear()
    }

    func unplug() {
        adapter?.disappear()
        adapter = nil
    }

    /// The agent for a pairing by `client`: its own, or the default one.
    func agent(for client: String) -> ClientObject? {
        let owner = agents[client] == nil ? defaultAgent : client
        return owner.flatMap { owner in agents[owner].map { ClientObject(owner: owner, path: $0) } }
    }

    /// Watches a client, to remove its registrations when it leaves the bus.
    func watch(_ client: String) {
        guard clients[client] == nil else { return }
        clients[client] = connection.watchName(client) { [weak self] owner in
            if owner == nil { self?.clientLeft(client) }
        }
    }

    private func clientLeft(_ client: String) {
        clients[client] = nil
        removeAgent(of: client)
        profiles = profiles.filter { $0.value.owner != client }
        adapter?.clientLeft(client)
    }

    // MARK: - Agents

    private var agentManager: ExportedInterface {
        ExportedInterface(
            BlueZNames.agentManager,
            methods: [
                ExportedMethod("RegisterAgent", inputs: ["agent": "o", "capability": "s"]) {
                    [unowned self] in registerAgent($0)
                },
                ExportedMethod("UnregisterAgent", inputs: ["agent": "o"]) { [unowned self] in
                    unregisterAgent($0)
                },
                ExportedMethod("RequestDefaultAgent", inputs: ["agent": "o"]) { [unowned self] in
                    requestDefaultAgent($0)
                },
            ]
        )
    }

    private func registerAgent(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath else { return }
        guard agents[call.sender] == nil else { return call.fail(.alreadyExists) }
        agents[call.sender] = path
        watch(call.sender)
        call.reply()
    }

    private func unregisterAgent(_ call: MethodInvocation) {
        guard agents[call.sender] != nil else { return call.fail(.doesNotExist) }
        removeAgent(of: call.sender)
        call.reply()
    }

    private func removeAgent(of client: String) {
        agents[client] = nil
        if defaultAgent == client { defaultAgent = nil }
    }

    private func requestDefaultAgent(_ call: MethodInvocation) {
        guard agents[call.sender] != nil else { return call.fail(.doesNotExist) }
        defaultAgent = call.sender
        call.reply()
    }

    // MARK: - Profiles

    private var profileManager: ExportedInterface {
        ExportedInterface(
            BlueZNames.profileManager,
            methods: [
                ExportedMethod(
                    "RegisterProfile",
                    inputs: ["profile": "o", "UUID": "s", "options": "a{sv}"]
                ) { [unowned self] in registerProfile($0) },
                ExportedMethod("UnregisterProfile", inputs: ["profile": "o"]) { [unowned self] in
                    unregisterProfile($0)
                },
            ]
        )
    }

    private func registerProfile(_ call: MethodInvocation) {
        guard let path = call.arguments[0].asObjectPath, let uuid = call.arguments[1].asString else { return }
        let profile = ClientObject(owner: call.sender, path: path)
        guard !profiles.values.contains(profile) else { return call.fail(.alreadyExists) }
        guard profiles[uuid] == nil else { return call.fail(.uuidRegistered) }
        profiles[uuid] = profile
        watch(call.sender)
        call.reply()
    }

    private func unregisterProfile(_ call: MethodInvocation) {
        let path = call.arguments[0].asObjectPath
        guard let found = profiles.first(where: { $0.value.owner == call.sender && $0.value.path == path })
        else { return call.fail(.doesNotExist) }
        profiles[found.key] = nil
        call.reply()
    }
}

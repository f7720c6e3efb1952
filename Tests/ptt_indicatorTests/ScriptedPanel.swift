import DBus
import EventLoop
import TestSupport
import Testing

/// A panel: the watcher, and the calls that xfce4-panel 4.18 makes.
@EventLoop
final class ScriptedPanel {
    static let item = "org.kde.StatusNotifierItem"
    static let menu = "com.canonical.dbusmenu"
    static let itemPath: ObjectPath = "/StatusNotifierItem"
    static let menuPath: ObjectPath = "/MenuBar"
    private static let watcher = "org.kde.StatusNotifierWatcher"

    /// The answer to the registration of an item.
    enum Registration {
        case accepted
        /// Accepted, and answered by ``goOn()``.
        case late
        /// Refused, and the next one accepted.
        case refused
    }

    /// The signals of the item and its menu, in their order.
    private var signals = AsyncQueue(of: BusSignal.self)
    private let registrations = AsyncQueue(of: String.self)
    let connection: BusConnection
    private var object: ExportedObject?
    private var subscriptions: [Subscription] = []
    private var owner = ""
    private var hasHost: Bool
    private var host: BusConnection?
    private var answer: Registration
    private var held: MethodInvocation?

    /// - Parameters:
    ///   - address: Of the bus.
    ///   - hasHost: True if somebody shows the items of the watcher.
    ///   - registration: The answer to an item.
    /// - Returns: The panel, which owns its name.
    /// - Throws: If the bus cannot be reached.
    static func start(
        _ address: String,
        hasHost: Bool = true,
        registration: Registration = .accepted
    ) async throws -> ScriptedPanel {
        let panel = ScriptedPanel(
            try await BusConnection.open(.address(address)),
            hasHost: hasHost,
            registration: registration
        )
        panel.object = try panel.connection.export(
            "/StatusNotifierWatcher",
            [
                ExportedInterface(
                    watcher,
                    methods: [
                        ExportedMethod("RegisterStatusNotifierItem", inputs: ["service": "s"]) {
                            [weak panel] in panel?.register($0)
                        }
                    ],
                    properties: [
                        ExportedProperty("IsStatusNotifierHostRegistered", "b") { [weak panel] in
                            panel?.questions += 1
                            return .boolean(panel?.hasHost ?? false)
                        }
                    ]
                )
            ]
        )
        _ = try await panel.connection.requestName(watcher)
        return panel
    }

    private init(_ connection: BusConnection, hasHost: Bool, registration: Registration) {
        self.connection = connection
        self.hasHost = hasHost
        answer = registration
    }

    /// Ends as in a crash.
    func crash() { connection.close() }

    /// How often the indicator has asked whether there is a host, after it has looked for their names.
    private(set) var questions = 0

    /// The process that shows the items ends or starts, and the watcher stays.
    func setHost(_ hasHost: Bool) throws {
        self.hasHost = hasHost
        let member = hasHost ? "StatusNotifierHostRegistered" : "StatusNotifierHostUnregistered"
        try connection.emit(
            BusSignal(path: "/StatusNotifierWatcher", interface: Self.watcher, member: member)
        )
    }

    /// The process that shows the items starts, with a name of its own, as plasmashell.
    func startHost(_ address: String, _ name: String) async throws {
        let host = try await BusConnection.open(.address(address))
        self.host = host
        _ = try await host.requestName(name)
    }

    /// Ends the host as a crash does. The watcher of Plasma goes on to say that there is a host.
    func crashHost() { host?.close() }

    private func register(_ invocation: MethodInvocation) {
        let name = invocation.arguments.first?.asString ?? ""
        switch answer {
        case .accepted: invocation.reply()
        case .late: held = invocation
        case .refused:
            answer = .accepted
            return invocation.fail(.failed("the panel is not ready"))
        }
        owner = name
        subscriptions = [Self.itemPath, Self.menuPath].map { path in
            connection.subscribe(MatchRule(sender: name, path: path)) { [weak self] in
                self?.signals.add($0)
            }
        }
        registrations.add(name)
    }

    /// Answers a registration that is late.
    func goOn() {
        held?.reply()
        held = nil
    }

    /// Waits for an item, and asks for all of it, as xfce4-panel does.
    func registration() async throws {
        _ = try await registrations.next()
        _ = try await properties()
        _ = try await properties()
        _ = try await all(Self.menu, Self.menuPath)
        _ = try await layout()
        _ = try await call("GetGroupProperties", .array(of: "i", [.int32(1)]), .strings([]))
    }

    // MARK: - The calls of a panel

    func properties() async throws -> [BusKey: BusValue] { try await all(Self.item, Self.itemPath) }

    /// Of the menu.
    func textDirection() async throws -> String? {
        try await all(Self.menu, Self.menuPath)["TextDirection"]?.asString
    }

    private func all(_ interface: String, _ path: ObjectPath) async throws -> [BusKey: BusValue] {
        let remote = RemoteInterface(service: owner, path: path, name: interface)
        return try #require(try await connection.call(remote.getAll()).first?.asProperties)
    }

    /// Calls the menu.
    func call(_ member: String, _ arguments: BusValue...) async throws -> [BusValue] {
        try await call(member, arguments: arguments)
    }

    @discardableResult
    func call(_ member: String, arguments: [BusValue]) async throws -> [BusValue] {
        try await connection.call(
            RemoteInterface(service: owner, path: Self.menuPath, name: Self.menu).call(member, arguments)
        )
    }

    /// Calls the item.
    func callItem(_ member: String, _ arguments: BusValue...) async throws {
        _ = try await connection.call(
            RemoteInterface(service: owner, path: Self.itemPath, name: Self.item).call(member, arguments)
        )
    }

    /// The entries of the menu by their numbers.
    func layout() async throws -> [Int: [BusKey: BusValue]] {
        let names = ["type", "label", "visible", "enabled", "children-display", "accessible-desc"]
        let reply = try await call("GetLayout", .int32(0), .int32(-1), .strings(names))
        let root = try #require(reply.last?.asStructure)
        #expect(root[1].asProperties?["children-display"]?.asString == "submenu")
        return try entries(root[2].asArray)
    }

    func entries(_ items: [BusValue]?) throws -> [Int: [BusKey: BusValue]] {
        var entries: [Int: [BusKey: BusValue]] = [:]
        for item in try #require(items) {
            let members = try #require(item.unwrapped.asStructure)
            let id = try #require(members[0].asInt)
            let properties = try #require(members[1].asProperties)
            entries[id] = properties
        }
        return entries
    }

    /// A click as xfce4-panel sends it, the menu first.
    @discardableResult
    func click(_ id: Int32) async throws -> [BusValue] {
        _ = try await call("AboutToShowGroup", .array(of: "i", [.int32(0)]))
        return try await call("EventGroup", Self.clicks([id]))
    }

    static func clicks(_ ids: [Int32]) -> BusValue {
        .array(
            of: "(isvu)",
            ids.map {
                .structure([.int32($0), .string("clicked"), .variant(.int32(0)), .uint32(1)])
            }
        )
    }

    /// The names of the next signals.
    func nextSignals(_ count: Int) async throws -> Set<String> {
        Set(try await signals.next(count).map(\.member))
    }

    /// Waits until the item shows a channel, and drops the signals that said so.
    func showsChannel() async throws {
        while try await properties()["Status"]?.asString != "Active" { try await signal("NewStatus") }
        // What was signalled before the answer has arrived before it.
        _ = try await layout()
        signals = AsyncQueue(of: BusSignal.self)
    }

    /// Waits for a signal; those before it are dropped.
    @discardableResult
    func signal(_ member: String) async throws -> BusSignal {
        try await signals.first { $0.member == member }
    }
}

/// The first pixmap of a value with several.
struct ShownPixmap {
    let width: Int
    let height: Int
    let argb: [UInt8]

    init?(_ value: BusValue?) {
        guard let members = value?.asArray?.first?.asStructure, members.count == 3,
            let width = members[0].asInt, let height = members[1].asInt, let argb = members[2].asBytes
        else { return nil }
        (self.width, self.height, self.argb) = (width, height, argb)
    }

    /// Alpha, red, green and blue.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * width + x) * 4
        return Array(argb[start..<start + 4])
    }
}

import DBus
import EventLoop

/// The part of org.freedesktop.systemd1 that `pttctl doctor` reads.
@EventLoop
final class ScriptedServiceManager {
    /// By unit, all its properties.
    var units: [String: [BusKey: BusValue]]

    private let connection: BusConnection
    private var objects: [ExportedObject] = []

    /// Our units, as they are on a machine where all is well.
    static func start(_ address: String) async throws -> ScriptedServiceManager {
        let manager = ScriptedServiceManager(try await BusConnection.open(.address(address)))
        try manager.export()
        _ = try await manager.connection.requestName("org.freedesktop.systemd1")
        return manager
    }

    private init(_ connection: BusConnection) {
        self.connection = connection
        units = [:]
        for name in ["pttd", "ptt-accessoryd"] {
            let well: [BusKey: BusValue] = [
                "LoadState": .string("loaded"), "UnitFileState": .string("enabled"),
                "ActiveState": .string("active"), "NeedDaemonReload": .boolean(false),
                "Result": .string("success"),
            ]
            let program = BusValue.structure([.string("/bin/\(name)"), .strings([])])
            units["\(name).socket"] = well
            units["\(name).service"] = well.merging([
                "UnitFileState": .string("static"), "ExecStart": .array(of: "(sas)", [program]),
            ]) { $1 }
        }
    }

    private func export() throws {
        let load = ExportedMethod("LoadUnit", inputs: ["name": "s"], outputs: ["unit": "o"]) { [weak self] in
            self?.load($0)
        }
        let manager = ExportedInterface("org.freedesktop.systemd1.Manager", methods: [load])
        objects.append(try connection.export("/org/freedesktop/systemd1", [manager]))
        for name in units.keys { objects.append(try connection.export(Self.path(name), interfaces(name))) }
    }

    private func load(_ call: MethodInvocation) {
        guard let name = call.arguments.first?.asString, units[name] != nil else {
            return call.fail(.failed("no such unit"))
        }
        call.reply(.objectPath(Self.path(name)))
    }

    private func interfaces(_ name: String) -> [ExportedInterface] {
        func property(_ property: String, _ type: String) -> ExportedProperty {
            ExportedProperty(property, type) { [weak self] in self?.units[name]?[BusKey(property)] }
        }
        let isSocket = name.hasSuffix(".socket")
        let program = isSocket ? [] : [property("ExecStart", "a(sas)")]
        return [
            ExportedInterface(
                "org.freedesktop.systemd1.Unit",
                properties: [
                    property("LoadState", "s"), property("UnitFileState", "s"), property("ActiveState", "s"),
                    property("NeedDaemonReload", "b"),
                ]
            ),
            ExportedInterface(
                "org.freedesktop.systemd1." + (isSocket ? "Socket" : "Service"),
                properties: [property("Result", "s")] + program
            ),
        ]
    }

    private static func path(_ name: String) -> ObjectPath {
        let element = name.map { $0.isLetter ? $0 : "_" }
        return ObjectPath("/org/freedesktop/systemd1/unit/" + String(element)) ?? "/"
    }
}

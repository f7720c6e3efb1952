import DBus
import EventLoop

/// Sources of `pttctl doctor` for the talk key: the portal of a desktop, and Plasma's service of shortcuts.
@EventLoop
final class ScriptedShortcuts {
    /// Of the indicator's shortcut, four numbers each, as Qt has them; nil while it has none.
    var keys: [[Int32]]?

    private let connection: BusConnection
    private var objects: [ExportedObject] = []

    static func start(_ address: String) async throws -> ScriptedShortcuts {
        let shortcuts = ScriptedShortcuts(try await BusConnection.open(.address(address)))
        try shortcuts.export()
        _ = try await shortcuts.connection.requestName("org.freedesktop.portal.Desktop")
        _ = try await shortcuts.connection.requestName("org.kde.kglobalaccel")
        return shortcuts
    }

    private init(_ connection: BusConnection) {
        self.connection = connection
    }

    private func export() throws {
        let version = ExportedProperty("version", "u") { .uint32(1) }
        let portal = ExportedInterface("org.freedesktop.portal.GlobalShortcuts", properties: [version])
        objects.append(try connection.export("/org/freedesktop/portal/desktop", [portal]))
        let list = ExportedMethod(
            "allActionsForComponent",
            inputs: ["actionId": "as"],
            outputs: ["actions": "aas"]
        ) { [weak self] in self?.list($0) }
        let read = ExportedMethod("shortcutKeys", inputs: ["actionId": "as"], outputs: ["keys": "a(ai)"]) {
            [weak self] in self?.read($0)
        }
        let accelerators = ExportedInterface("org.kde.KGlobalAccel", methods: [list, read])
        objects.append(try connection.export("/kglobalaccel", [accelerators]))
    }

    private func list(_ call: MethodInvocation) {
        let talk = call.arguments.first?.asStrings == ["org.pushtotalk.Indicator", "talk", "", ""]
        let actions: [BusValue] =
            talk && keys != nil ? [.strings(["org.pushtotalk.Indicator", "talk", "Push to Talk", ""])] : []
        call.reply(.array(of: "as", actions))
    }

    private func read(_ call: MethodInvocation) {
        let sequences = (keys ?? []).map { keys in
            BusValue.structure([.array(of: "i", keys.map { .int32($0) })])
        }
        call.reply(.array(of: "(ai)", sequences))
    }
}

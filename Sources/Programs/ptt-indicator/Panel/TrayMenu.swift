import DBus
import EventLoop
import IndicatorCore
import Invocation
import PTTMessages

/// `com.canonical.dbusmenu`: the menu of the tray item. The panel draws it.
@EventLoop
final class TrayMenu {
    static let path: ObjectPath = "/MenuBar"
    private static let name = "com.canonical.dbusmenu"
    private static let root: Int32 = 0
    /// The layout never changes: entries are hidden, not removed.
    private static let revision: UInt32 = 1

    var entries: [MenuEntry] = []
    private let pictures: Pictures
    private let clicked: @EventLoop (MenuEntry.ID) -> Void

    init(pictures: Pictures, clicked: @escaping @EventLoop (MenuEntry.ID) -> Void) {
        self.pictures = pictures
        self.clicked = clicked
    }

    /// With the single and the group form of each method: xfce4-panel uses only the latter, others only the
    /// former.
    private(set) lazy var interface = ExportedInterface(
        Self.name,
        methods: [
            ExportedMethod(
                "GetLayout",
                inputs: ["parentId": "i", "recursionDepth": "i", "propertyNames": "as"],
                outputs: ["revision": "u", "layout": "(ia{sv}av)"]
            ) { [unowned self] in getLayout($0) },
            ExportedMethod(
                "GetGroupProperties",
                inputs: ["ids": "ai", "propertyNames": "as"],
                outputs: ["properties": "a(ia{sv})"]
            ) { [unowned self] in getGroupProperties($0) },
            ExportedMethod("GetProperty", inputs: ["id": "i", "name": "s"], outputs: ["value": "v"]) {
                [unowned self] in getProperty($0)
            },
            ExportedMethod(
                "Event",
                inputs: ["id": "i", "eventId": "s", "data": "v", "timestamp": "u"]
            ) { [unowned self] in event($0) },
            ExportedMethod("EventGroup", inputs: ["events": "a(isvu)"], outputs: ["idErrors": "ai"]) {
                [unowned self] in eventGroup($0)
            },
            ExportedMethod("AboutToShow", inputs: ["id": "i"], outputs: ["needUpdate": "b"]) {
                [unowned self] in aboutToShow($0)
            },
            ExportedMethod(
                "AboutToShowGroup",
                inputs: ["ids": "ai"],
                outputs: ["updatesNeeded": "ai", "idErrors": "ai"]
            ) { [unowned self] in aboutToShowGroup($0) },
        ],
        properties: [
            ExportedProperty("Version", "u", get: { .uint32(3) }),
            // A catalogue translates it, too: "rtl" where people write from right to left.
            ExportedProperty("TextDirection", "s", get: { .string(Text("ltr").localized) }),
            ExportedProperty("Status", "s", get: { .string("normal") }),
            ExportedProperty("IconThemePath", "as", get: { .strings([]) }),
        ],
        signals: [
            ExportedSignal("LayoutUpdated", arguments: ["revision": "u", "parent": "i"]),
            ExportedSignal(
                "ItemsPropertiesUpdated",
                arguments: ["updatedProps": "a(ia{sv})", "removedProps": "a(ias)"]
            ),
            ExportedSignal("ItemActivationRequested", arguments: ["id": "i", "timestamp": "u"]),
        ]
    )

    /// The signal that these entries have changed.
    func propertiesUpdated(_ entries: [MenuEntry]) -> BusSignal {
        let updated = entries.map { Self.item($0.id.rawValue, $0.properties(pictures)) }
        let removed = entries.filter { $0.imageID == nil }.map {
            BusValue.structure([.int32($0.id.rawValue), .strings(["icon-data"])])
        }
        return BusSignal(
            path: Self.path,
            interface: Self.name,
            member: "ItemsPropertiesUpdated",
            arguments: [.array(of: "(ia{sv})", updated), .array(of: "(ias)", removed)]
        )
    }

    private static func item(_ id: Int32, _ properties: [BusKey: BusValue]) -> BusValue {
        .structure([.int32(id), .properties(properties)])
    }

    private func properties(of id: Int32) -> [BusKey: BusValue]? {
        if id == Self.root { return ["children-display": .string("submenu")] }
        return entries.first { $0.id.rawValue == id }?.properties(pictures)
    }

    // MARK: - What panels ask

    private func getLayout(_ invocation: MethodInvocation) {
        let arguments = invocation.arguments
        guard let parent = id(arguments[0]), let depth = arguments[1].asInt,
            let names = arguments[2].asStrings, let properties = properties(of: parent)
        else { return invocation.fail(.unknownItem) }
        var children: [BusValue] = []
        if parent == Self.root, depth != 0 {
            children = entries.map {
                .variant(Self.node($0.id.rawValue, $0.properties(pictures).only(names), []))
            }
        }
        invocation.reply(.uint32(Self.revision), Self.node(parent, properties.only(names), children))
    }

    private static func node(_ id: Int32, _ properties: [BusKey: BusValue], _ children: [BusValue])
        -> BusValue
    {
        .structure([.int32(id), .properties(properties), .array(of: "v", children)])
    }

    /// Items that do not exist are left out. Each is named once, however often it is asked for.
    private func getGroupProperties(_ invocation: MethodInvocation) {
        guard let asked = ids(invocation.arguments[0]), let names = invocation.arguments[1].asStrings else {
            return invocation.fail(.unknownItem)
        }
        let all = [Self.root] + entries.map(\.id.rawValue)
        let items = all.filter { asked.isEmpty || asked.contains($0) }.compactMap { id in
            properties(of: id).map { Self.item(id, $0.only(names)) }
        }
        invocation.reply(.array(of: "(ia{sv})", items))
    }

    private func getProperty(_ invocation: MethodInvocation) {
        guard let properties = id(invocation.arguments[0]).flatMap({ properties(of: $0) }),
            let value = invocation.arguments[1].asString.flatMap({ properties[BusKey($0)] })
        else { return invocation.fail(.unknownItem) }
        invocation.reply(.variant(value))
    }

    private func aboutToShow(_ invocation: MethodInvocation) {
        guard let id = id(invocation.arguments[0]), properties(of: id) != nil else {
            return invocation.fail(.unknownItem)
        }
        // What a panel has is always up to date.
        invocation.reply(.boolean(false))
    }

    private func aboutToShowGroup(_ invocation: MethodInvocation) {
        guard let asked = ids(invocation.arguments[0]) else { return invocation.fail(.unknownItem) }
        let unknown = asked.filter { properties(of: $0) == nil }
        guard asked.isEmpty || unknown.count < asked.count else { return invocation.fail(.unknownItem) }
        invocation.reply(
            .array(of: "i", []),
            .array(of: "i", unknown.sorted().map { .int32($0) })
        )
    }

    // MARK: - What people do

    private func event(_ invocation: MethodInvocation) {
        let arguments = invocation.arguments
        guard let id = id(arguments[0]), let kind = arguments[1].asString, properties(of: id) != nil else {
            return invocation.fail(.unknownItem)
        }
        invocation.reply()
        handle([(id, kind)])
    }

    private func eventGroup(_ invocation: MethodInvocation) {
        let events = (invocation.arguments[0].asArray ?? []).compactMap {
            event -> (id: Int32, kind: String)? in
            guard let members = event.asStructure, members.count == 4, let id = id(members[0]),
                let kind = members[1].asString
            else { return nil }
            return (id, kind)
        }
        let unknown = Set(events.lazy.map(\.id).filter { [self] in properties(of: $0) == nil })
        guard events.isEmpty || events.contains(where: { !unknown.contains($0.id) }) else {
            return invocation.fail(.unknownItem)
        }
        invocation.reply(.array(of: "i", unknown.sorted().map { .int32($0) }))
        handle(events)
    }

    /// A person clicks once: of several clicks on an entry in one message only the first counts.
    private func handle(_ events: [(id: Int32, kind: String)]) {
        var seen: Set<MenuEntry.ID> = []
        for event in events where event.kind == "clicked" {
            guard let entry = entries.first(where: { $0.id.rawValue == event.id }),
                entry.isEnabled, entry.isVisible, seen.insert(entry.id).inserted
            else { continue }
            clicked(entry.id)
        }
    }

    // MARK: - Arguments

    private func id(_ value: BusValue) -> Int32? { value.asInt.flatMap { Int32(exactly: $0) } }

    private func ids(_ value: BusValue) -> Set<Int32>? {
        value.asArray.map { Set($0.lazy.compactMap { [self] in id($0) }) }
    }
}

extension MenuEntry {
    /// The properties of the entry, as `com.canonical.dbusmenu` names them.
    @EventLoop
    fileprivate func properties(_ pictures: Pictures) -> [BusKey: BusValue] {
        if id == .separator { return ["type": .string("separator"), "visible": .boolean(isVisible)] }
        // A single underscore would mark the letter after it as the entry's key.
        let label = self.label.localized.unicodeScalars.map { $0 == "_" ? "__" : String($0) }.joined()
        var properties: [BusKey: BusValue] = [
            "label": .string(label),
            "enabled": .boolean(isEnabled),
            "visible": .boolean(isVisible),
        ]
        if let picture = imageID.flatMap({ pictures.picture($0) }) {
            properties["icon-data"] = .bytes(picture.png)
        }
        return properties
    }
}

extension [BusKey: BusValue] {
    /// Returns those with these names; all of them for no names.
    fileprivate func only(_ names: [String]) -> Self {
        let wanted = Set(names.map { BusKey($0) })
        return wanted.isEmpty ? self : filter { wanted.contains($0.key) }
    }
}

extension BusError {
    fileprivate static let unknownItem = BusError.invalidArguments("the menu has no such item")
}

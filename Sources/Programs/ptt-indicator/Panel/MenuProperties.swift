import DBus
import EventLoop
import IndicatorCore
import Invocation
import PTTMessages

/// The properties of a menu entry, as `com.canonical.dbusmenu` names them.
struct MenuProperties {
    private var values: [BusKey: BusValue]

    static let root = MenuProperties(values: ["children-display": .string("submenu")])

    private init(values: [BusKey: BusValue]) {
        self.values = values
    }

    @EventLoop
    init(of entry: MenuEntry, _ pictures: Pictures) {
        if entry.id == .separator {
            values = ["type": .string("separator"), "visible": .boolean(entry.isVisible)]
            return
        }
        values = [
            "label": .string(Self.escaped(entry.label.localized)),
            "enabled": .boolean(entry.isEnabled),
            "visible": .boolean(entry.isVisible),
        ]
        if let picture = entry.imageID.flatMap({ pictures.picture($0) }) {
            values["icon-data"] = .bytes(picture.png)
        }
    }

    subscript(name: String) -> BusValue? { values[BusKey(name)] }

    /// Returns those with these names; all of them for no names.
    func only(_ names: [String]) -> MenuProperties {
        guard !names.isEmpty else { return self }
        let wanted = Set(names.map { BusKey($0) })
        return MenuProperties(values: values.filter { wanted.contains($0.key) })
    }

    var value: BusValue { .properties(values) }

    /// A single underscore would mark the letter after it as the entry's key.
    private static func escaped(_ label: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            if scalar == "_" { scalars.append("_") }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

import DBus
import EventLoop
import IndicatorCore
import Invocation
import PTTMessages

extension MenuEntry {
    /// The properties of the entry, as `com.canonical.dbusmenu` names them.
    @EventLoop
    func properties(_ pictures: Pictures) -> [BusKey: BusValue] {
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
    func only(_ names: [String]) -> Self {
        let wanted = Set(names.map { BusKey($0) })
        return wanted.isEmpty ? self : filter { wanted.contains($0.key) }
    }
}

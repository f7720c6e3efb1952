import Bitmap
import DBus
import EventLoop
import IndicatorCore
import Invocation
import PTTMessages

/// `org.kde.StatusNotifierItem`: the icon in the panel.
@EventLoop
final class TrayItem {
    static let path: ObjectPath = "/StatusNotifierItem"
    static let name = "org.kde.StatusNotifierItem"
    /// Panels remember by it what a person has hidden.
    private static let identifier = "org.pushtotalk.Indicator"

    /// At first that of a core which is not connected.
    var item = PanelItem(nil)
    private let pictures: Pictures
    private let activated: @EventLoop () -> Void
    /// Drawn once.
    private lazy var drawn: [PanelIcon: BusValue] = [:]

    init(pictures: Pictures, activated: @escaping @EventLoop () -> Void) {
        self.pictures = pictures
        self.activated = activated
    }

    /// With all properties that the specification has, since panels ask for all of them at once, and those of
    /// Ayatana for screen readers.
    private(set) lazy var interface = ExportedInterface(
        Self.name,
        methods: methods,
        properties: [
            ExportedProperty("Category", "s") { .string("Communications") },
            ExportedProperty("Id", "s") { .string(Self.identifier) },
            property("Title", "s") { .string($0.spokenTitle.localized) },
            property("Status", "s") { .string($0.state.rawValue) },
            ExportedProperty("WindowId", "i") { .int32(0) },
            // A name would be shown instead of the pixmap, if the theme has it.
            ExportedProperty("IconName", "s") { .string("") },
            ExportedProperty("IconThemePath", "s") { .string("") },
            property("IconPixmap", Self.pixmaps) { [unowned self] in icon(of: $0) },
            ExportedProperty("OverlayIconName", "s") { .string("") },
            ExportedProperty("OverlayIconPixmap", Self.pixmaps) { Self.noPixmaps },
            ExportedProperty("AttentionIconName", "s") { .string("") },
            property("AttentionIconPixmap", Self.pixmaps) { [unowned self] _ in draw(.microphoneOpen) },
            ExportedProperty("AttentionMovieName", "s") { .string("") },
            property("IconAccessibleDesc", "s") { .string($0.toolTip.localized) },
            property("AttentionAccessibleDesc", "s") { .string($0.toolTip.localized) },
            property("ToolTip", "(s\(Self.pixmaps)ss)") {
                .structure([
                    .string(""), Self.noPixmaps, .string($0.title.localized), .string($0.toolTip.localized),
                ])
            },
            // With true some panels open the menu on a left click, and report none.
            ExportedProperty("ItemIsMenu", "b") { .boolean(false) },
            ExportedProperty("Menu", "o") { .objectPath(TrayMenu.path) },
        ],
        signals: [
            ExportedSignal("NewTitle"), ExportedSignal("NewIcon"), ExportedSignal("NewAttentionIcon"),
            ExportedSignal("NewToolTip"), ExportedSignal("NewStatus", arguments: ["status": "s"]),
        ]
    )

    private var methods: [ExportedMethod] {
        [
            ExportedMethod("Activate", inputs: ["x": "i", "y": "i"]) { [unowned self] invocation in
                invocation.reply()
                activated()
            },
            // A middle click, the wheel and the menu, which the panel draws, do nothing here.
            ExportedMethod("SecondaryActivate", inputs: ["x": "i", "y": "i"]) { $0.reply() },
            ExportedMethod("ContextMenu", inputs: ["x": "i", "y": "i"]) { $0.reply() },
            ExportedMethod("Scroll", inputs: ["delta": "i", "orientation": "s"]) { $0.reply() },
            ExportedMethod("ProvideXdgActivationToken", inputs: ["token": "s"]) { $0.reply() },
        ]
    }

    private func property(
        _ name: String,
        _ type: String,
        _ value: @escaping @EventLoop (PanelItem) -> BusValue
    ) -> ExportedProperty {
        ExportedProperty(name, type, get: { [unowned self] in value(item) })
    }

    // MARK: - Pixmaps

    private static let pixmap = "(iiay)"
    private static let pixmaps = "a" + pixmap
    private static let noPixmaps = BusValue.array(of: pixmap, [])

    private func icon(of item: PanelItem) -> BusValue {
        guard let picture = item.imageID.flatMap({ pictures.picture($0) }) else { return draw(item.icon) }
        return Self.value(picture.icons)
    }

    private func draw(_ icon: PanelIcon) -> BusValue {
        if let value = drawn[icon] { return value }
        // It has as many pixels as were asked for.
        let value = Self.value(PanelIcon.sizes.compactMap { Bitmap(size: $0, rgba: icon.rgba(size: $0)) })
        drawn[icon] = value
        return value
    }

    private static func value(_ pixmaps: [Bitmap]) -> BusValue {
        .array(
            of: pixmap,
            pixmaps.map {
                .structure([.int32(Int32($0.size)), .int32(Int32($0.size)), .bytes($0.argb)])
            }
        )
    }
}

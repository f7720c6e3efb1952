import DBus
import EventLoop
import IndicatorCore
import Invocation
import Logging
import PTTMessages

/// The channel as a media player on the bus (MPRIS 2.2). It exists only while it is shown.
@EventLoop
final class PlayerObject {
    private static let name = "org.mpris.MediaPlayer2.pushtotalk"
    private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    private static let root = "org.mpris.MediaPlayer2"
    private static let player = "org.mpris.MediaPlayer2.Player"

    private let connection: BusConnection
    private let log: Logger
    private let stop: @EventLoop () -> Void
    private var content: MediaPlayer?
    private var object: ExportedObject?
    /// Of the name, while the object is there.
    private var watch: Subscription?

    /// `stop` is called for a command that ends a transmission.
    init(on connection: BusConnection, log: Logger, stop: @escaping @EventLoop () -> Void) {
        self.connection = connection
        self.log = log
        self.stop = stop
    }

    /// Nil hides it.
    func show(_ content: MediaPlayer?) {
        self.content = content
        guard content != nil else { return hide() }
        if let object {
            object.emitPropertiesChanged(Self.player, ["Metadata"])
            return
        }
        do throws(BusError) {
            object = try connection.export(Self.path, [rootInterface, playerInterface])
        } catch {
            log.notice("no media player: \(error)")
            return
        }
        watch = connection.watchName(Self.name) { [weak self] in self?.ownerChanged(to: $0) }
    }

    /// Claims the name when nobody has it, also after another program had it. Without the name the object is
    /// there, and nothing shows it.
    private func ownerChanged(to owner: String?) {
        guard let owner else { return EventLoop.start { [weak self] in await self?.claimName() } }
        guard owner != connection.uniqueName else { return }
        log.notice("no media player: another program has the name \(Self.name)")
    }

    private func claimName() async {
        do throws(BusError) {
            // Another program that was faster is the next owner that is reported.
            _ = try await connection.requestName(Self.name)
        } catch {
            log.notice("no media player: \(error)")
        }
        // Hidden meanwhile.
        if object == nil { connection.releaseName(Self.name) }
    }

    private func hide() {
        guard object != nil else { return }
        (object, watch) = (nil, nil)
        connection.releaseName(Self.name)
    }

    private var rootInterface: ExportedInterface {
        ExportedInterface(
            Self.root,
            methods: [
                // Allowed to do nothing, because CanRaise and CanQuit are false.
                ExportedMethod("Raise") { $0.reply() },
                ExportedMethod("Quit") { $0.reply() },
            ],
            properties: [
                constant("CanQuit", .boolean(false)), constant("CanRaise", .boolean(false)),
                constant("HasTrackList", .boolean(false)),
                constant("Identity", .string(Text("Push to talk").localized)),
                constant("DesktopEntry", .string("org.pushtotalk.Indicator")),
                constant("SupportedUriSchemes", .strings([])), constant("SupportedMimeTypes", .strings([])),
            ]
        )
    }

    private var playerInterface: ExportedInterface {
        let stopping = ["Pause", "PlayPause", "Stop"].map { name in
            ExportedMethod(name) { [weak self] invocation in
                self?.stop()
                invocation.reply()
            }
        }
        // Play as well: it means music, and must not open a microphone.
        let ignored = [
            ExportedMethod("Play") { $0.reply() }, ExportedMethod("Next") { $0.reply() },
            ExportedMethod("Previous") { $0.reply() },
            ExportedMethod("Seek", inputs: ["Offset": "x"]) { $0.reply() },
            ExportedMethod("SetPosition", inputs: ["TrackId": "o", "Position": "x"]) { $0.reply() },
            ExportedMethod("OpenUri", inputs: ["Uri": "s"]) { $0.reply() },
        ]
        return ExportedInterface(
            Self.player,
            methods: stopping + ignored,
            properties: [
                constant("PlaybackStatus", .string("Playing")), constant("Rate", .double(1)),
                constant("MinimumRate", .double(1)), constant("MaximumRate", .double(1)),
                constant("Volume", .double(1)), constant("Position", .int64(0)),
                ExportedProperty("Metadata", "a{sv}") { [weak self] in self?.metadata },
                constant("CanGoNext", .boolean(false)), constant("CanGoPrevious", .boolean(false)),
                constant("CanSeek", .boolean(false)), constant("CanPause", .boolean(true)),
                // GNOME shows a player only if it can play, and KDE greys out one that cannot be controlled.
                constant("CanPlay", .boolean(true)), constant("CanControl", .boolean(true)),
            ],
            signals: [ExportedSignal("Seeked", arguments: ["Position": "x"])]
        )
    }

    private func constant(_ name: String, _ value: BusValue) -> ExportedProperty {
        ExportedProperty(name, value.signature) { value }
    }

    private var metadata: BusValue? {
        content.map { content in
            .properties([
                "mpris:trackid": .objectPath("/org/pushtotalk/channel"),
                "xesam:title": .string(content.title.localized),
                "xesam:artist": .strings([content.artist.localized]),
            ])
        }
    }
}

import ChildProcess
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// `ptt-indicator` with a panel that has read its item, while the stack's channel is joined.
@EventLoop
final class ShownIndicator {
    let process: ChildProcess
    private let stack: StackFixture
    private let panel: BusConnection
    private let watcher: ExportedObject
    private static let watcherName = "org.kde.StatusNotifierWatcher"

    /// A PNG of 64 by 64 pixels.
    private static let picture = """
        iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATElEQVR42u3PQQkAAAgAseufzFhG8C0MVmA1/SYgICAgICAgICAgICAg\
        ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgcFncr4C1OHup8AAAAABJRU5ErkJggg==
        """

    static func start(on stack: StackFixture) async throws -> ShownIndicator {
        let panel = try await BusConnection.open(.address(stack.busAddress))
        var items: [String] = []
        let register = ExportedMethod("RegisterStatusNotifierItem", inputs: ["service": "s"]) { call in
            items += call.arguments.compactMap(\.asString)
            call.reply()
        }
        let hasHost = ExportedProperty("IsStatusNotifierHostRegistered", "b", get: { .boolean(true) })
        let watcher = try panel.export(
            "/StatusNotifierWatcher",
            [ExportedInterface(watcherName, methods: [register], properties: [hasHost])]
        )
        _ = try await panel.requestName(watcherName)
        let process = try stack.start([stack.programs + "/ptt-indicator"])
        while items.isEmpty { await pause(.milliseconds(10)) }
        let item = RemoteInterface(
            service: items[0],
            path: "/StatusNotifierItem",
            name: "org.kde.StatusNotifierItem"
        )
        _ = try await panel.call(item.getAll())
        return ShownIndicator(process, stack, panel, watcher)
    }

    private init(
        _ process: ChildProcess,
        _ stack: StackFixture,
        _ panel: BusConnection,
        _ watcher: ExportedObject
    ) {
        (self.process, self.stack, self.panel, self.watcher) = (process, stack, panel, watcher)
    }

    /// Gives the channel a picture, which the indicator decodes.
    static func setPicture() async throws {
        let connection = try ServiceConnection.core()
        defer { connection.close() }
        let request = ChannelInterface.DescriptorRequest(
            channelID: nil,
            name: "Benchmark",
            image: picture
        )
        _ = try await connection.call(ChannelInterface.setDescriptor, request)
    }

    func end() {
        stack.end(process)
        watcher.withdraw()
        panel.close()
    }
}

import EventLoop
import Input

/// What a program reads of the device that ptt-keys makes.
@EventLoop
final class KeyReader {
    private(set) var isDown = false
    private(set) var presses = 0
    private(set) var releases = 0
    private let monitor: DeviceMonitor
    private var device: KeyDevice?

    init() throws {
        monitor = try DeviceMonitor(subsystem: "input", tag: nil)
        try monitor.start { [weak self] event in
            switch event {
            case .added(let node), .changed(let node): self?.open(node)
            case .removed: break
            }
        }
    }

    private func open(_ node: InputNode) {
        guard node.name == "Push-to-Talk Keys", node.isReadable, device == nil,
            let key = KeyCode(name: "KEY_F13")
        else { return }
        // Not there any more.
        device = try? KeyDevice(node, keys: [key]) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event) where event.edge == .pressed: (isDown, presses) = (true, presses + 1)
        case .key: release()
        case .vanished:
            device = nil
            if isDown { release() }
        case .jackChanged, .eventsLost, .grabbed, .grabRefused, .failed: break
        }
        Conditions.evaluate()
    }

    private func release() {
        (isDown, releases) = (false, releases + 1)
    }
}

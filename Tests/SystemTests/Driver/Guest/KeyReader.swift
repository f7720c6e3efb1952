import EventLoop
import Input

/// A program that reads a virtual device with one key.
@EventLoop
final class KeyReader {
    /// It has found the device.
    var isReady: Bool { device != nil }
    private(set) var isDown = false
    private(set) var presses = 0
    private(set) var releases = 0
    /// The time of the last press, as the kernel has it.
    private(set) var pressed = MonotonicInstant.now
    private let name: String
    private let key: String
    private var monitor: DeviceMonitor?
    private var device: KeyDevice?

    /// By default of the device that ptt-keys makes.
    init(of name: String = "Push-to-Talk Keys", key: String = "KEY_F13") throws {
        (self.name, self.key) = (name, key)
        monitor = try DeviceMonitor(subsystem: "input", tag: nil) { [weak self] event in
            switch event {
            case .present(let node): self?.open(node)
            case .removed: break
            }
        }
    }

    private func open(_ node: InputNode) {
        guard node.name == name, node.isReadable, device == nil, let key = KeyCode(name: key) else { return }
        // Not there any more.
        device = try? KeyDevice(node, keys: [key]) { [weak self] in self?.handle($0) }
        Conditions.evaluate()
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event) where event.edge == .pressed:
            (isDown, presses, pressed) = (true, presses + 1, event.time)
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

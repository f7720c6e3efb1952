import AccessoryCore
import EventLoop
import Input
import PTTMessages
import ServiceClient

/// Listens to the keys of one input device that the udev rule tags.
@EventLoop
final class KeySourceListener: Learning.Source {
    private let identifier: String
    private let handlers: Learning.Handlers
    private var monitor: DeviceMonitor?
    private var device: KeyDevice?

    /// - Parameters:
    ///   - identifier: ``InputNode/stableIdentifier``
    ///   - handlers: Called for each edge.
    init(_ identifier: String, _ handlers: Learning.Handlers) {
        self.identifier = identifier
        self.handlers = handlers
    }

    func start() async throws(Learning.Failure) -> AccessoryInterface.LearnedDevice {
        let node = try present()
        // Up to KEY_MAX; the kernel delivers those that the node has.
        let keys = (1..<UInt16(0x300)).map { KeyCode(rawValue: $0) }.filter { node.keys.contains($0) }
        do throws(SystemError) {
            device = try KeyDevice(node, keys: Set(keys)) { [weak self] in self?.handle($0) }
        } catch {
            throw Learning.Failure("\(error)")
        }
        return node.learned
    }

    private func present() throws(Learning.Failure) -> InputNode {
        do throws(SystemError) {
            let monitor = try DeviceMonitor(subsystem: "input", tag: "push-to-talk")
            self.monitor = monitor
            try monitor.start { [weak self] in self?.handle($0) }
        } catch {
            throw Learning.Failure("\(error)")
        }
        let node = monitor?.nodes.values.first { $0.stableIdentifier == identifier }
        guard let node, !node.isKeyboardLike else { throw .unknown(identifier) }
        return node
    }

    func close() {
        monitor?.stop()
        monitor = nil
        device?.close()
        device = nil
    }

    private func handle(_ event: DeviceEvent) {
        guard case .removed(let node) = event, node.sysname == device?.node.sysname else { return }
        handlers.lost("the device was unplugged")
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event):
            let time = MonotonicTime(nanoseconds: event.time.nanoseconds)
            handlers.received(.key(event.key.rawValue, isPressed: event.edge == .pressed), time)
        case .eventsLost: handlers.lost("events of its keys were lost")
        case .jackChanged: handlers.lost("its plug was moved")
        case .vanished: handlers.lost("the device was unplugged")
        case .grabbed, .grabRefused: break
        }
    }
}

extension Learning.Failure {
    fileprivate static func unknown(_ identifier: String) -> Learning.Failure {
        Learning.Failure(
            "\(identifier) is not an accessory that may be opened. Only devices with the tag push-to-talk of udev are; "
                + "`pttctl grant` admits one key of another device, with root"
        )
    }
}

extension InputNode {
    fileprivate var learned: AccessoryInterface.LearnedDevice {
        let numbers = [id.vendor, id.product].map { String(hexadecimal: UInt64($0), digits: 4) }
        return AccessoryInterface.LearnedDevice(
            identity: stableIdentifier,
            name: origin(named: nil).name,
            transport: inputTransport.rawValue,
            product: id.vendor == 0 ? nil : numbers.joined(separator: ":")
        )
    }
}

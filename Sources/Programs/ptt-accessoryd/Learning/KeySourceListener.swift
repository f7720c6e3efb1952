import AccessoryCore
import EventLoop
import Input
import PTTMessages
import ServiceClient

/// Listens to the keys of one input device that the udev rule tags.
@EventLoop
final class KeySourceListener: Learning.Source {
    private let accessory: Headsets.Accessory
    private let handlers: Learning.Handlers
    private var keys: AccessoryKeys?

    /// - Parameters:
    ///   - accessory: The device.
    ///   - handlers: Called for each edge.
    init(_ accessory: Headsets.Accessory, _ handlers: Learning.Handlers) {
        self.accessory = accessory
        self.handlers = handlers
    }

    func start() async throws(RequestFailure) -> AccessoryInterface.LearnedDevice {
        do throws(SystemError) {
            keys = try AccessoryKeys(accessory) { [weak self] in self?.handle($0) }
        } catch {
            throw .failed("\(error)")
        }
        return accessory.learned
    }

    func close() { keys = nil }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event):
            let time = MonotonicTime(nanoseconds: event.time.nanoseconds)
            handlers.received(.key(event.key.rawValue, isPressed: event.edge == .pressed), time)
        case .eventsLost: handlers.lost("events of its keys were lost")
        case .jackChanged: handlers.lost("its plug was moved")
        case .vanished: handlers.lost("the device was unplugged")
        case .failed(let error): handlers.lost("\(error)")
        case .grabbed, .grabRefused: break
        }
    }
}

extension Headsets.Accessory {
    fileprivate var learned: AccessoryInterface.LearnedDevice {
        AccessoryInterface.LearnedDevice(
            identity: identity.text,
            name: name,
            transport: node.inputTransport.rawValue,
            product: node.id.vendor == 0 ? nil : node.product.text
        )
    }
}

import AccessoryCore
import EventLoop
import Input
import PTTMessages
import ServiceClient

/// Listens to the keys of one input device that the udev rule tags.
@EventLoop
final class KeySourceListener: Learning.Source {
    private let accessory: Headsets.Accessory
    private weak var learning: Learning?
    private var keys: AccessoryKeys?

    init(_ accessory: Headsets.Accessory, _ learning: Learning) {
        self.accessory = accessory
        self.learning = learning
    }

    func start() async throws(RequestFailure) -> AccessoryInterface.LearnedDevice {
        do throws(SystemError) {
            keys = try AccessoryKeys(accessory) { [weak self] in self?.handle($0) }
        } catch {
            throw .failed("\(error)")
        }
        return AccessoryInterface.LearnedDevice(
            identity: accessory.identity.text,
            name: accessory.name,
            transport: accessory.node.transport.rawValue,
            product: accessory.node.id.vendor == 0 ? nil : accessory.node.product.text
        )
    }

    func close() { keys = nil }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event):
            let time = MonotonicTime(nanoseconds: event.time.nanoseconds)
            learning?.received(.key(event.key.rawValue, isPressed: event.edge == .pressed), at: time)
        case .eventsLost: learning?.fail("events of its keys were lost")
        case .jackChanged: learning?.fail("its plug was moved")
        case .vanished: learning?.fail("the device was unplugged")
        case .failed(let error): learning?.fail("\(error)")
        case .grabbed, .grabRefused: break
        }
    }
}

import AccessoryCore
import EventLoop
import Input
import JSON
import Logging
import PTTMessages
import ServiceClient
import Varlink

/// Passes what an unknown accessory sends to a client that learns it. One at a time; meanwhile no accessory
/// transmits.
@EventLoop
final class Learning {
    /// Longer than all requests to the person take.
    private static let limit = Duration.seconds(180)

    private let buttons: BluetoothButtons
    private let headsets: Headsets
    private let discovery: Discovery
    private let core: PressForwarder
    private var call: VarlinkCall?
    /// The source that is listened to: a Bluetooth device, or the keys of an input device.
    private var bluetooth: BluetoothListener?
    private var keys: AccessoryKeys?
    private var frames = 0
    private var bytes = 0
    private lazy var timer = TimerSource { [weak self] in
        self?.fail("learning took longer than three minutes")
    }

    init(_ buttons: BluetoothButtons, _ headsets: Headsets, _ discovery: Discovery, core: PressForwarder) {
        self.buttons = buttons
        self.headsets = headsets
        self.discovery = discovery
        self.core = core
    }

    /// Listens to a device for a client, until its connection closes.
    func listen(to device: String, _ call: VarlinkCall) async {
        guard self.call == nil else {
            return call.fail(Self.failed("another device is being learned: wait until that is done"))
        }
        self.call = call
        let identifier = call.connection.identifier
        call.connection.onClose { [weak self] in
            if self?.call?.connection.identifier == identifier { self?.end() }
        }
        (frames, bytes) = (0, 0)
        timer.arm(after: Self.limit)
        buttons.log.notice("\(device) is being learned: no accessory transmits meanwhile")
        core.suspend("an accessory is being learned: see `pttctl learn`")
        // A grab for an action keeps the keys from every other reader, that of the client too.
        headsets.actionsChanged()
        do throws(RequestFailure) {
            let learned = try await listen(to: device)
            guard self.call === call else { return }
            call.reply(.encoding(AccessoryInterface.LearnReply(device: learned)), continues: true)
        } catch {
            if self.call === call { fail(error.reason) }
        }
    }

    /// The keys of a Bluetooth device are learned if it has neither a serial port nor notifications of its
    /// own: these come without a filter of the kernel, and devices with a talk button have media keys as
    /// well.
    private func listen(to device: String) async throws(RequestFailure) -> AccessoryInterface.LearnedDevice {
        let accessory = headsets.accessory(device)
        if device.isBluetoothAddress,
            accessory == nil || BluetoothListener.canListen(to: device, buttons.mirror)
        {
            discovery.stopAll()
            let listener = BluetoothListener(device, buttons, self)
            bluetooth = listener
            return try await listener.start()
        }
        guard let accessory else {
            throw .failed(
                "\(device) is not an accessory that may be opened. Only devices with the tag push-to-talk of udev are; "
                    + "`pttctl grant` admits one key of another device, with root"
            )
        }
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

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event):
            let time = MonotonicTime(nanoseconds: event.time.nanoseconds)
            received(.key(event.key.rawValue, isPressed: event.edge == .pressed), at: time)
        case .eventsLost: fail("events of its keys were lost")
        case .jackChanged: fail("its plug was moved")
        case .vanished: fail("the device was unplugged")
        case .failed(let error): fail("\(error)")
        case .grabbed, .grabRefused: break
        }
    }

    /// The device has sent something.
    func received(_ content: LearningFrame.Content, at time: MonotonicTime) {
        guard let call else { return }
        let frame = AccessoryInterface.ReceivedFrame(content, at: time)
        frames += 1
        bytes += (frame.value?.utf8.count ?? 0) / 2
        guard frames <= LearningPlan.mostFrames, bytes <= LearningPlan.mostBytes else {
            return fail("it sends too much")
        }
        call.reply(.encoding(AccessoryInterface.LearnReply(frame: frame)), continues: true)
    }

    /// The device was lost, or learning cannot go on.
    func fail(_ reason: String) {
        let call = call
        buttons.log.notice("learning: \(reason)")
        end()
        call?.fail(Self.failed(reason))
    }

    private static func failed(_ reason: String) -> VarlinkError {
        VarlinkError(AccessoryInterface.learningFailed, reason: reason)
    }

    private func end() {
        guard call != nil else { return }
        call = nil
        timer.disarm()
        bluetooth?.close()
        (bluetooth, keys) = (nil, nil)
        core.resume()
        headsets.actionsChanged()
    }
}

extension AccessoryInterface.ReceivedFrame {
    fileprivate init(_ content: LearningFrame.Content, at time: MonotonicTime) {
        switch content {
        case .notified(let value, let attribute):
            self.init(
                time: time.microseconds,
                service: attribute.service.text,
                characteristic: attribute.characteristic.text,
                value: value.hexadecimal
            )
        case .received(let bytes, let serviceClass):
            self.init(time: time.microseconds, service: serviceClass.text, value: bytes.hexadecimal)
        case .key(let code, let isPressed):
            self.init(time: time.microseconds, key: Int(code), isPressed: isPressed)
        }
    }
}

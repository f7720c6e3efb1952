import EventLoop
import Input
import Logging

/// Divides each input device that the udev rule tags and that has a talk key among other keys.
@EventLoop
final class HeadsetDivider {
    private let log: Logger
    private var monitor: DeviceMonitor?
    private var devices: [String: SplitDevice] = [:]

    /// - Throws: If udev cannot be monitored.
    init(log: Logger) throws(SystemError) {
        self.log = log
        monitor = try DeviceMonitor(subsystem: "input", tag: "push-to-talk") { [weak self] in
            self?.handle($0)
        }
    }

    /// Removes what was made, and gives the devices back.
    func close() {
        monitor = nil
        for device in devices.values { device.close() }
        devices = [:]
    }

    private func handle(_ event: InputDeviceEvent) {
        switch event {
        case .present(let node): review(node)
        case .removed(let node): devices.removeValue(forKey: node.sysname)?.close()
        }
    }

    private func review(_ node: InputNode) {
        guard node.half == nil else { return }
        let keys = node.talkKeys
        // Root may grant another key, or revoke it, while the device is divided.
        guard devices[node.sysname]?.keys != keys else { return }
        devices.removeValue(forKey: node.sysname)?.close()
        guard !keys.isEmpty, node.keys != keys else { return }
        do throws(SystemError) {
            devices[node.sysname] = try SplitDevice(node, keys: keys) { [weak self] in
                self?.handle($0, of: node)
            }
        } catch {
            log.error("\(error): its talk key also reaches media players")
        }
    }

    private func handle(_ event: SplitDevice.Event, of node: InputNode) {
        switch event {
        case .split:
            log.notice("\(node.name) (\(node.devnode)) is divided in its talk key and its other keys")
        case .refused(let error):
            log.warning("\(error): another program has it; it is tried again after its next key")
        case .failed(let error):
            log.error("\(error): \(node.name) is not divided")
        case .eventsLost:
            log.warning("\(node.name): events were lost; it is divided again")
        case .vanished:
            devices.removeValue(forKey: node.sysname)?.close()
        }
    }
}

extension InputNode {
    /// Play and pause, as headsets send it, and the hook of a telephony headset.
    private static let usualTalkKeys = [
        "KEY_PLAYPAUSE", "KEY_PLAYCD", "KEY_PAUSECD", "KEY_MEDIA", "KEY_PHONE",
    ]

    /// The keys of the node to talk with. Properties that rules of root set take the place of the usual ones:
    /// `ID_PTT_KEY`, the only key of a keyboard that was granted, or `ID_PTT_KEYS`, names with spaces between
    /// them; empty to leave the device alone. A joystick and a mouse are left alone.
    var talkKeys: Set<KeyCode> {
        let granted = properties["ID_PTT_KEY"].map { [Substring($0)] }
        guard !hasAxes, granted != nil || !isKeyboardLike else { return [] }
        let names =
            granted ?? properties["ID_PTT_KEYS"]?.split(separator: " ")
            ?? Self.usualTalkKeys.map { Substring($0) }
        return Set(names.compactMap { KeyCode(name: String($0)) }.filter { keys.contains($0) })
    }
}

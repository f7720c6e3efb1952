import EventLoop
import PTTMessages
import ServiceClient

/// The accessories as clients see them, and what happens to them, in order.
@EventLoop
final class AccessoryList {
    /// In the order of their first appearance.
    private(set) var devices: [AccessoryDevice] = []
    /// The positions in ``devices``: each press updates one.
    private var positions: [Origin: Int] = [:]
    /// The number of the last event.
    private(set) var sequence = 0

    /// The most `ignored` events of a device that are published in a second. A button that sends a thousand
    /// unknown values would keep every subscriber busy.
    static nonisolated let ignoredLimit = 32

    /// The `ignored` events of a device in a second.
    private var ignored: [Origin: (second: Int64, count: Int)] = [:]

    /// Called for each event, after ``devices`` has been updated.
    var onUpdate: @EventLoop (AccessoryInterface.Update) -> Void = { _ in }

    /// Stores the state of a device, and publishes an event if it has changed.
    func set(_ device: AccessoryDevice) {
        guard let index = positions[device.origin] else {
            return publish(AccessoryEvent(.deviceAdded, device: device))
        }
        if devices[index] != device { publish(AccessoryEvent(.deviceChanged, device: device)) }
    }

    func remove(_ origin: Origin) {
        guard let position = positions[origin] else { return }
        publish(AccessoryEvent(.deviceRemoved, device: devices[position]))
    }

    /// Publishes an event to all subscribers, and stores the state of the device in it.
    func publish(_ event: AccessoryEvent) {
        let now = MonotonicTime.now
        if let device = event.device {
            keep(device, isGone: event.kind == .deviceRemoved)
            if event.kind == .ignored, isFlooding(device, at: now) { return }
        }
        sequence += 1
        let time = now.microseconds
        onUpdate(AccessoryInterface.Update(sequence: sequence, time: time, devices: nil, event: event))
    }

    private func isFlooding(_ device: AccessoryDevice, at now: MonotonicTime) -> Bool {
        let second = now.nanoseconds / 1_000_000_000
        var recent = ignored[device.origin] ?? (second, 0)
        if recent.second != second { recent = (second, 0) }
        recent.count += 1
        ignored[device.origin] = recent
        return recent.count > Self.ignoredLimit
    }

    private func keep(_ device: AccessoryDevice, isGone: Bool) {
        switch (positions[device.origin], isGone) {
        case (let index?, true):
            devices.remove(at: index)
            ignored[device.origin] = nil
            positions = [:]
            for (position, device) in devices.enumerated() { positions[device.origin] = position }
        case (let index?, false): devices[index] = device
        case (nil, true): break
        case (nil, false):
            positions[device.origin] = devices.count
            devices.append(device)
        }
    }
}

extension AccessoryDevice {
    fileprivate var origin: Origin { Origin(kind: kind, identifier: identifier, name: name) }
}

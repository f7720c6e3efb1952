import AccessoryCore
import DBus
import EventLoop
import PTTMessages

// The devices whose accessory file is one of a serial microphone.
extension BluetoothButtons {
    func review(
        _ path: ObjectPath,
        _ device: BlueZDevice,
        _ definition: AccessoryDefinition,
        _ input: SerialInput,
        _ use: EnrolledDevices.Use?
    ) {
        let origin = Origin(
            kind: .serialMicrophone,
            identifier: device.address,
            name: device.origin(named: use?.enrolment.name).name
        )
        let isCurrent =
            if let use, let microphone = microphones[path] {
                microphone.definition == definition && microphone.canChange(to: use.enrolment)
            } else {
                false
            }
        if !isCurrent { remove(path) }
        guard let use else {
            return device.isKnown
                ? list(unused: origin, at: path, profile: definition.name, mode: definition.mode)
                : forget(path)
        }
        // While a device is bonded that is not enrolled yet, its port is not to be opened: that bonds as
        // well, for that connection only.
        let isBonding = use.gate != .open && !device.isPaired && definition.connection.bonding != .never
        guard !isBonding else { return }
        if let earlier = unused.removeValue(forKey: path), earlier.kind != origin.kind {
            list.remove(earlier)
        }
        microphones.use(path, definition, input, origin, use)
    }
}

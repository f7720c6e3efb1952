import AccessoryCore
import DBus
import PTTMessages

extension BluetoothButtons {
    private static let elsewhereReason = "another session is active at this seat"
    static let elsewhere = Gate.closed(reason: elsewhereReason, cause: .sessionInactive)

    func list(
        unused origin: Origin,
        at path: ObjectPath,
        profile: String?,
        mode: ButtonMode,
        because reason: String? = nil
    ) {
        unused[path] = origin
        let isEnrolled = enrolled[DeviceIdentity(bluetoothAddress: origin.identifier)] != nil
        let usual =
            isEnrolled ? Self.elsewhereReason : enrolled.remark(notEnrolled: origin.identifier)
        list.set(origin.unused(reason ?? usual, profile: profile, mode: mode))
    }
}

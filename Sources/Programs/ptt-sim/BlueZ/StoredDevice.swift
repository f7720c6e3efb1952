import DBus
import EventLoop

/// The data that bluetoothd stores on disk about a device.
@EventLoop
final class StoredDevice {
    let name: String
    private(set) var address: String
    /// The identity address, while it is not bonded and hides that behind a resolvable private address.
    private var identity: String?
    var alias: String
    var isPaired: Bool
    var isTrusted: Bool

    init(name: String, address: String, isKnown: Bool) {
        (self.name, self.address, alias) = (name, address, name)
        (isPaired, isTrusted) = (isKnown, isKnown)
    }

    /// bluetoothd forgets devices that are neither, after a while and when it exits.
    var isKept: Bool { isPaired || isTrusted }

    /// A resolvable private address: its two highest bits are 01.
    func hideAddress() {
        identity = address
        address = "5F" + address.dropFirst(2)
    }

    /// Bonded: bluetoothd has its identity.
    ///
    /// - Returns: Whether its address is another one now.
    func reveal() -> Bool {
        guard let identity else { return false }
        address = identity
        self.identity = nil
        return true
    }

    func forget() {
        isPaired = false
        isTrusted = false
        alias = name
    }

    /// Its properties of `org.bluez.Device1`.
    ///
    /// - Parameter changed: Called after a client has changed the property with that name.
    /// - Returns: Those that its kind of link does not change.
    func properties(changed: @escaping @EventLoop (String) -> Void) -> [ExportedProperty] {
        [
            ExportedProperty("Address", "s") { [self] in .string(address) },
            ExportedProperty("Name", "s") { [self] in .string(name) },
            ExportedProperty("Alias", "s") { [self] in
                .string(alias)
            } set: { [self] value throws(BusError) in
                alias = value.asString ?? name
                changed("Alias")
            },
            ExportedProperty("Adapter", "o") { .objectPath(BlueZ.adapterPath) },
            ExportedProperty("Blocked", "b") { .boolean(false) },
            ExportedProperty("LegacyPairing", "b") { .boolean(false) },
            ExportedProperty("Paired", "b") { [self] in .boolean(isPaired) },
            ExportedProperty("Bonded", "b") { [self] in .boolean(isPaired) },
            ExportedProperty("Trusted", "b") { [self] in
                .boolean(isTrusted)
            } set: { [self] value throws(BusError) in
                isTrusted = value.asBool ?? false
                changed("Trusted")
            },
        ]
    }
}

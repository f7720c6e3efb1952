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

    /// Bonded: bluetoothd has its identity. Returns true if its address is another one now.
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
}

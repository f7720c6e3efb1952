import DBus
import EventLoop

/// `org.bluez.Device1`: one device as bluetoothd knows it. The subclasses have its links.
@EventLoop
class SimulatedPeripheral {
    private static let strength: Int16 = -50

    /// The number of the button or microphone in commands.
    let number: Int
    let stored: StoredDevice
    let path: ObjectPath
    unowned let adapter: SimulatedAdapter
    /// True if the link is up over which its presses come.
    var isConnected = false
    /// The call that connects it, until it is answered.
    var connecting: MethodInvocation?
    private var rssi: Int16?
    private var object: ExportedObject?

    /// Its object is not exported yet. `isFound`: a discovery has found it, and it is not a stored one.
    init(_ number: Int, _ stored: StoredDevice, on adapter: SimulatedAdapter, isFound: Bool) throws(BusError)
    {
        guard let path = BlueZNames.devicePath(stored.address) else {
            throw .failed("\(stored.address) does not make an object path")
        }
        self.number = number
        self.stored = stored
        self.path = path
        self.adapter = adapter
        rssi = isFound ? Self.strength : nil
    }

    /// Exports its object, with what its kind of link adds.
    func export(_ methods: [ExportedMethod], _ properties: [ExportedProperty]) throws(BusError) {
        let properties = commonProperties + properties
        let interface = ExportedInterface(BlueZNames.device, methods: methods, properties: properties)
        object = try adapter.daemon.connection.export(path, [interface])
    }

    var isTemporary: Bool { !stored.isKept && !isConnected && connecting == nil }

    /// Connects if it advertises and a connection is wanted.
    func seekLink() {}

    /// Ends the link over which its presses come, for any reason.
    func loseLink() {}

    /// Ends the links, and the attempts to connect.
    func adapterOff() {}

    func clientLeft(_ client: String) {}

    /// Ends the links, and removes its object.
    func remove() {
        adapterOff()
        object?.withdraw()
        object = nil
    }

    /// A discovery finds it.
    func found() {
        guard !isConnected else { return }
        rssi = Self.strength
        changed("RSSI")
    }

    func discoveryEnded() {
        guard rssi != nil else { return }
        rssi = nil
        changed("RSSI")
    }

    private var commonProperties: [ExportedProperty] {
        [
            ExportedProperty("Address", "s") { [stored] in .string(stored.address) },
            ExportedProperty("Name", "s") { [stored] in .string(stored.name) },
            ExportedProperty("Alias", "s") { [stored] in
                .string(stored.alias)
            } set: { [unowned self] value throws(BusError) in
                stored.alias = value.asString ?? stored.name
                changed("Alias")
            },
            ExportedProperty("Adapter", "o") { .objectPath(BlueZNames.adapterPath) },
            ExportedProperty("Blocked", "b") { .boolean(false) },
            ExportedProperty("LegacyPairing", "b") { .boolean(false) },
            ExportedProperty("Paired", "b") { [stored] in .boolean(stored.isPaired) },
            ExportedProperty("Bonded", "b") { [stored] in .boolean(stored.isPaired) },
            ExportedProperty("Trusted", "b") { [stored] in
                .boolean(stored.isTrusted)
            } set: { [unowned self] value throws(BusError) in
                stored.isTrusted = value.asBool ?? false
                changed("Trusted")
                // It may have been what a connection was missing.
                seekLink()
            },
            ExportedProperty("RSSI", "n") { [unowned self] in rssi.map { .int16($0) } },
        ]
    }

    func changed(_ names: String...) { object?.emitPropertiesChanged(BlueZNames.device, names) }
}

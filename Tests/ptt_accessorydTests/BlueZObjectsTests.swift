import AccessoryCore
import DBus
import TestSupport
import Testing

@testable import Input
@testable import ptt_accessoryd

@Suite struct BlueZObjectsTests {
    private static let path: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"
    private static let device = "org.bluez.Device1"

    @Test func `a property of the wrong type is ignored and reported`() {
        var objects = BlueZObjects()
        let warnings = objects.add(
            Self.path,
            [
                BusKey(Self.device): [
                    "Address": .string("00:11:22:33:44:55"), "Connected": .string("yes"), "UUIDs": .int32(7),
                ]
            ]
        )
        #expect(warnings.count == 2)
        #expect(objects.devices[Self.path]?.address == "00:11:22:33:44:55")
        #expect(objects.devices[Self.path]?.isConnected == false)
    }

    @Test func `of a peripheral with 65,535 handles no more than 64 services and characteristics are kept`()
        throws
    {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): ["Address": .string("00:11:22:33:44:55")]])
        var characteristics: [ObjectPath] = []
        for number in 0..<21_845 {
            let service = try #require(Self.path.appending("service\(number)"))
            let characteristic = try #require(service.appending("char0"))
            _ = objects.add(service, ["org.bluez.GattService1": ["UUID": .string("ffe0")]])
            _ = objects.add(characteristic, ["org.bluez.GattCharacteristic1": ["UUID": .string("ffe1")]])
            characteristics.append(characteristic)
        }
        #expect(objects.gattObjects(below: Self.path).count == 64)
        #expect(objects.characteristics(of: Self.path).count == 64)
        #expect(characteristics.count { objects.contains($0) } == 64)
    }

    @Test func `changes of an unknown object are ignored`() {
        var objects = BlueZObjects()
        let properties = PropertyReader(["Connected": .boolean(true)])
        let (hasChanged, warnings) = objects.apply(properties, of: Self.device, to: Self.path)
        #expect(!hasChanged && warnings.isEmpty)
        #expect(objects == BlueZObjects())
    }

    @Test func `the owner of a remote control is connected, and has its name on its adapter`() {
        var objects = BlueZObjects()
        let adapters: [ObjectPath] = ["/org/bluez/hci0", "/org/bluez/hci1"]
        for (adapter, address) in zip(adapters, ["00:1B:DC:00:00:01", "00:1B:DC:00:00:02"]) {
            _ = objects.add(adapter, ["org.bluez.Adapter1": ["Address": .string(address)]])
        }
        func add(
            _ path: ObjectPath,
            _ address: String,
            _ name: String,
            adapter: ObjectPath,
            isConnected: Bool
        ) {
            let properties: [BusKey: BusValue] = [
                "Address": .string(address), "Name": .string(name), "Alias": .string("Mic"),
                "Adapter": .objectPath(adapter), "Connected": .boolean(isConnected),
            ]
            _ = objects.add(path, [BusKey(Self.device): properties])
        }
        add("/org/bluez/hci0/dev_1", "01", "Mic", adapter: adapters[0], isConnected: true)
        add("/org/bluez/hci0/dev_2", "02", "Mic", adapter: adapters[0], isConnected: false)
        add("/org/bluez/hci0/dev_3", "03", "Other", adapter: adapters[0], isConnected: true)
        add("/org/bluez/hci1/dev_4", "04", "Mic", adapter: adapters[1], isConnected: true)
        func owners() -> [String] {
            objects.connectedDevices(named: "Mic", adapter: "00:1b:dc:00:00:01").compactMap {
                objects.devices[$0]?.address
            }.sorted()
        }
        #expect(owners() == ["01"])
        add("/org/bluez/hci0/dev_2", "02", "Mic", adapter: adapters[0], isConnected: true)
        #expect(owners() == ["01", "02"])
    }

    @Test
    func `of several adapters that know a device the one counts that is connected, then powered, then first`()
    {
        var objects = BlueZObjects()
        func set(_ number: Int, isPowered: Bool, isConnected: Bool) {
            let adapter = ObjectPath("/org/bluez/hci\(number)") ?? "/"
            _ = objects.add(
                adapter,
                ["org.bluez.Adapter1": ["Address": .string("0\(number)"), "Powered": .boolean(isPowered)]]
            )
            let properties: [BusKey: BusValue] = [
                "Address": .string("AA"), "Adapter": .objectPath(adapter), "Connected": .boolean(isConnected),
            ]
            _ = objects.add(adapter.appending("dev_AA") ?? "/", [BusKey(Self.device): properties])
        }
        func preferred() -> String? { objects.device(address: "aa")?.text }
        for number in 0...2 { set(number, isPowered: true, isConnected: false) }
        #expect(preferred() == "/org/bluez/hci0/dev_AA")
        set(2, isPowered: true, isConnected: true)
        #expect(preferred() == "/org/bluez/hci2/dev_AA")
        set(1, isPowered: true, isConnected: true)
        #expect(preferred() == "/org/bluez/hci1/dev_AA")
        for number in 1...2 { set(number, isPowered: false, isConnected: true) }
        #expect(preferred() == "/org/bluez/hci0/dev_AA")
    }

    @Test func `the keys of a Bluetooth device have a link as long as bluetoothd is connected with it`() {
        var objects = BlueZObjects()
        var node = InputNode(
            sysname: "event5",
            devnode: "/dev/input/event5",
            name: "AB Shutter3",
            phys: "00:1b:dc:00:00:01",
            uniq: "aa:00:00:00:00:01",
            id: .init(bus: InputNode.ID.bluetooth)
        )
        #expect(objects.link(of: node) == .down(reason: "it is not connected"))
        func set(isPowered: Bool, isConnected: Bool) {
            _ = objects.add(
                "/org/bluez/hci0",
                [
                    "org.bluez.Adapter1": [
                        "Address": .string("00:1B:DC:00:00:01"), "Powered": .boolean(isPowered),
                    ]
                ]
            )
            let properties: [BusKey: BusValue] = [
                "Address": .string("AA:00:00:00:00:01"), "Adapter": .objectPath("/org/bluez/hci0"),
                "Connected": .boolean(isConnected),
            ]
            _ = objects.add(Self.path, [BusKey(Self.device): properties])
        }
        set(isPowered: true, isConnected: true)
        #expect(objects.link(of: node) == .up(Self.path))
        set(isPowered: true, isConnected: false)
        #expect(objects.link(of: node) == .down(reason: "it is not connected"))
        set(isPowered: false, isConnected: true)
        #expect(objects.link(of: node) == .down(reason: "it is not connected"))
        node.uniq = ""
        #expect(objects.link(of: node) == .none)
        (node.uniq, node.id.bus) = ("aa:00:00:00:00:01", InputNode.ID.usb)
        #expect(objects.link(of: node) == .none)
    }

    @Test(arguments: [("F0", false), ("C1", false), ("5F", true), ("40", true), ("3A", true), ("00", true)])
    func `an address that changes is a random one that is not static`(first: String, isPrivate: Bool) {
        var device = BlueZDevice()
        (device.address, device.addressType) = (first + ":11:22:33:44:55", "random")
        #expect(device.hasPrivateAddress == isPrivate)
        device.addressType = "public"
        #expect(!device.hasPrivateAddress)
    }

    @Test func `an invalidated property loses its value`() {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): ["RSSI": .int16(-40)]])
        #expect(objects.devices[Self.path]?.rssi == -40)
        _ = objects.apply(PropertyReader([:], invalidated: ["RSSI"]), of: Self.device, to: Self.path)
        #expect(objects.devices[Self.path]?.rssi == nil)
    }

    @Test func `a characteristic is found through its service, and only below its own device`() throws {
        var objects = BlueZObjects()
        let other: ObjectPath = "/org/bluez/hci0/dev_00_11_22_33_44_56"
        for device in [Self.path, other] { _ = objects.add(device, [BusKey(Self.device): [:]]) }
        let service = try #require(Self.path.appending("service000a"))
        let characteristic = try #require(service.appending("char000b"))
        let uuid = BusValue.string("0000ffe0-0000-1000-8000-00805f9b34fb")
        _ = objects.add(service, ["org.bluez.GattService1": ["UUID": uuid]])
        #expect(
            try objects.profiles(of: Self.path, in: ShippedAccessories.catalog()).map(\.identifier) == [
                "ffe0"
            ]
        )
        #expect(objects.characteristic(of: Self.path, matching: ffe0) == nil)
        let notifying = BusValue.string("0000FFE1-0000-1000-8000-00805F9B34FB")
        _ = objects.add(characteristic, ["org.bluez.GattCharacteristic1": ["UUID": notifying]])
        #expect(objects.characteristic(of: Self.path, matching: ffe0) == characteristic)
        #expect(objects.characteristic(of: other, matching: ffe0) == nil)
        #expect(objects.device(of: characteristic) == Self.path)
    }

    @Test func `another signal strength is no change of the device, its first and its last are`() {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): ["Alias": .string("PTT-Z01")]])
        func change(_ changed: [BusKey: BusValue], invalidated: [BusKey] = []) -> Bool {
            let properties = PropertyReader(changed, invalidated: invalidated)
            return objects.apply(properties, of: Self.device, to: Self.path).hasChanged
        }
        #expect(change(["RSSI": .int16(-40)]) == true)
        #expect(change(["RSSI": .int16(-41)]) == false)
        #expect(objects.devices[Self.path]?.rssi == -41)
        #expect(change(["RSSI": .int16(-42), "Connected": .boolean(true)]) == true)
        #expect(change([:], invalidated: ["RSSI"]) == true)
    }

    @Test func `other service data is no change of the device, its first is`() {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): ["Alias": .string("SBBT-002C")]])
        func change(_ data: [UInt8]) -> Bool {
            let all = BusValue.properties(["0000fcd2-0000-1000-8000-00805f9b34fb": .bytes(data)])
            return objects.apply(PropertyReader(["ServiceData": all]), of: Self.device, to: Self.path)
                .hasChanged
        }
        #expect(change([0x44, 0x00, 0x01]) == true)
        #expect(change([0x44, 0x00, 0x02]) == false)
        #expect(objects.devices[Self.path]?.advertised == [0x44, 0x00, 0x02])
    }

    @Test func `services are in the order of their paths, and gone with them`() throws {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): [:]])
        let paths = try ["service0020", "service000a", "service0010"].map {
            try #require(Self.path.appending($0))
        }
        for path in paths { _ = objects.add(path, ["org.bluez.GattService1": ["UUID": .string("ffe0")]]) }
        #expect(objects.gattObjects(below: Self.path).map(\.path) == paths.sorted())
        for path in paths { objects.remove(path, ["org.bluez.GattService1"]) }
        #expect(!objects.hasServices(Self.path))
        objects.remove(Self.path, [Self.device])
        #expect(objects == BlueZObjects())
    }

    @Test func `of a device that claims 65,535 services, 64 are kept, and it is logged once`() throws {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): [:]])
        var warnings: [String] = []
        for number in 0..<65_535 {
            let path = try #require(Self.path.appending("service\(number)"))
            warnings += objects.add(path, ["org.bluez.GattService1": ["UUID": .string("ffe0")]])
        }
        #expect(objects.gattObjects(below: Self.path).count == 64)
        #expect(objects.gattObjects.count == 64)
        #expect(warnings.count == 1)
    }

    @Test func `of several services of one UUID, the first with the characteristic counts`() throws {
        var objects = BlueZObjects()
        _ = objects.add(Self.path, [BusKey(Self.device): [:]])
        let service = BusValue.string("0000ffe0-0000-1000-8000-00805f9b34fb")
        let characteristic = BusValue.string("0000ffe1-0000-1000-8000-00805f9b34fb")
        let other = BusValue.string("0000ffe2-0000-1000-8000-00805f9b34fb")
        let services = ["0010", "001a", "0020", "0030"].map { "service\($0)" }
        var random = SplitMix.ofThisRun()
        for _ in 0..<20 {
            for name in services.shuffled(using: &random) {
                let path = try #require(Self.path.appending(name))
                _ = objects.add(path, ["org.bluez.GattService1": ["UUID": service]])
                for child in ["char0002", "char0001"].shuffled(using: &random) {
                    // The first service has another characteristic only.
                    let uuid = name == "service0010" ? other : characteristic
                    let object = try #require(path.appending(child))
                    _ = objects.add(object, ["org.bluez.GattCharacteristic1": ["UUID": uuid]])
                }
            }
            let found = objects.characteristic(of: Self.path, matching: ffe0)
            #expect(found?.text == "\(Self.path)/service001a/char0001")
            for path in objects.gattObjects.keys {
                objects.remove(path, ["org.bluez.GattCharacteristic1", "org.bluez.GattService1"])
            }
        }
    }
}

private let ffe0 = GattAttribute(
    service: GattUUID(assigned: 0xFFE0),
    characteristic: GattUUID(assigned: 0xFFE1)
)

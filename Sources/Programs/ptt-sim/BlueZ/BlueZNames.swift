import DBus

/// The names of BlueZ's D-Bus interfaces and objects (its `doc/org.bluez.*.rst`).
///
/// Not those that ptt-accessoryd has: a name that is wrong there would be wrong in its simulated BlueZ too,
/// and no test would find it.
enum BlueZNames {
    static let name = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let advertisementMonitor = "org.bluez.AdvertisementMonitor1"
    static let advertisementMonitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    static let device = "org.bluez.Device1"
    static let gattManager = "org.bluez.GattManager1"
    static let gattProfile = "org.bluez.GattProfile1"
    static let profile = "org.bluez.Profile1"
    static let profileManager = "org.bluez.ProfileManager1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"

    static let root: ObjectPath = "/org/bluez"
    static let adapterPath: ObjectPath = "/org/bluez/hci0"

    static func devicePath(_ address: String) -> ObjectPath? {
        adapterPath.appending("dev_" + String(address.map { $0 == ":" ? "_" : $0 }))
    }
}

/// An object that a client has registered with bluetoothd.
struct ClientObject: Hashable {
    /// The client's unique name.
    let owner: String
    let path: ObjectPath

    func call(_ member: String, of interface: String, _ arguments: [BusValue] = []) -> MethodCall {
        RemoteInterface(service: owner, path: path, name: interface).call(member, arguments)
    }
}

extension BusError {
    static func bluez(_ name: String, _ message: String) -> BusError {
        BusError(name: "org.bluez.Error." + name, message: message)
    }

    // The texts of bluetoothd's src/error.c.
    static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    static let inProgress = bluez("InProgress", "Operation already in progress")
    static let uuidRegistered = bluez("NotPermitted", "UUID already registered")
    static let notConnected = bluez("NotConnected", "Not Connected")
    static let notReady = bluez("NotReady", "Resource Not Ready")
    static let notSupported = bluez("NotSupported", "Operation is not supported")
    static let connectionAttemptFailed = bluez("ConnectionAttemptFailed", "Page Timeout")
    static let invalidBlueZArguments = bluez("InvalidArguments", "Invalid arguments in method call")
    static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")
    static let authenticationRejected = bluez("AuthenticationRejected", "Authentication Rejected")
    static let authenticationCanceled = bluez("AuthenticationCanceled", "Authentication Canceled")

    static func bluezFailed(_ message: String) -> BusError { bluez("Failed", message) }
}

import EventLoop

/// Families of buttons that can be simulated.
enum ButtonKind: String, CaseIterable {
    case ffe0
    case aina
    case nordic

    var service: String {
        switch self {
        case .ffe0: "0000ffe0-0000-1000-8000-00805f9b34fb"
        case .aina: "127face1-cb21-11e5-93d0-0002a5d5c51b"
        case .nordic: "00001523-1212-efde-1523-785feabcd123"
        }
    }

    var characteristic: String {
        switch self {
        case .ffe0: "0000ffe1-0000-1000-8000-00805f9b34fb"
        case .aina: "127fbeef-cb21-11e5-93d0-0002a5d5c51b"
        case .nordic: "00001524-1212-efde-1523-785feabcd123"
        }
    }

    /// In BlueZ's notation.
    var flags: [String] {
        switch self {
        case .ffe0: ["read", "write-without-response", "notify"]
        case .aina, .nordic: ["read", "notify"]
        }
    }

    var defaultName: String {
        switch self {
        case .ffe0: "PTT-Z01"
        case .aina: "APTT0001"
        case .nordic: "Nordic_LBS"
        }
    }
}

/// A button as specified on the command line.
struct ButtonSpecification {
    let kind: ButtonKind
    var name: String?
}

/// A button: its radio, and what bluetoothd stores about it on disk.
@EventLoop
final class VirtualButton {
    enum Radio {
        /// Advertises, and accepts connections.
        case awake
        /// Silent to save power.
        case asleep
        /// Out of reach.
        case gone
    }

    let number: Int
    let kind: ButtonKind
    let name: String
    let address: String
    /// The time from the connection until its services are resolved.
    let resolveTime: Duration

    var radio = Radio.awake
    /// The value for a read.
    var level: [UInt8] = [0]
    /// The value that is notified as soon as notifications are turned on.
    var valueOnSubscribe: [UInt8]?

    var isPaired = false
    var isTrusted = false
    var alias: String

    /// bluetoothd forgets devices that are neither, after a while and when it exits.
    var isKept: Bool { isPaired || isTrusted }

    init(_ number: Int, _ specification: ButtonSpecification, resolveTime: Duration) {
        self.number = number
        self.resolveTime = resolveTime
        kind = specification.kind
        name = specification.name ?? specification.kind.defaultName
        alias = name
        address = Self.address(number)
    }

    /// A random static address: the two highest bits are set (Bluetooth Core, vol 6 part B, 1.3.2.1).
    static func address(_ number: Int) -> String { "F0:F1:F2:F3:F4:0\(number)" }

    func forget() {
        isPaired = false
        isTrusted = false
        alias = name
    }
}

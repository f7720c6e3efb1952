import JSON
import PTTMessages
import Varlink

/// Why a request of a client about an accessory has failed.
struct RequestFailure: Error {
    /// The error of ``AccessoryInterface``.
    fileprivate let name: String
    /// For people.
    let reason: String

    private init(_ name: String, _ reason: String) { (self.name, self.reason) = (name, reason) }

    /// There is no Bluetooth.
    static func unavailable(_ reason: String) -> Self {
        Self(AccessoryInterface.bluetoothUnavailable, reason)
    }
    static func notFound(_ reason: String) -> Self { Self(AccessoryInterface.deviceNotFound, reason) }
    static func failed(_ reason: String) -> Self { Self(AccessoryInterface.pairingFailed, reason) }
    /// Its press was not observed.
    static func untested(_ reason: String) -> Self { Self(AccessoryInterface.testFailed, reason) }
    /// Its advertisements cannot be decrypted.
    static func bindKeyNeeded(_ reason: String) -> Self { Self(AccessoryInterface.bindKeyNeeded, reason) }
}

extension VarlinkError {
    /// An error of ``AccessoryInterface`` with its reason for people.
    init(_ name: String, reason: String) {
        self.init(name, ["reason": .string(reason)])
    }

    /// Of a scan or a pairing.
    init(_ failure: RequestFailure) { self.init(failure.name, reason: failure.reason) }
}

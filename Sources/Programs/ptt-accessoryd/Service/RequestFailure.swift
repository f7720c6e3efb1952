import JSON
import PTTMessages
import Varlink

/// Why a request of a client about an accessory has failed, for people.
enum RequestFailure: Error {
    /// There is no Bluetooth.
    case unavailable(String)
    case notFound(String)
    case failed(String)
    /// Its press was not observed.
    case untested(String)
    /// What it advertises cannot be decrypted.
    case bindKeyNeeded(String)

    var reason: String {
        switch self {
        case .unavailable(let reason), .notFound(let reason), .failed(let reason), .untested(let reason),
            .bindKeyNeeded(let reason):
            reason
        }
    }
}

extension VarlinkError {
    /// An error of ``AccessoryInterface`` with its reason for people.
    init(_ name: String, reason: String) {
        self.init(name, ["reason": .string(reason)])
    }

    /// Of a scan or a pairing.
    init(_ failure: RequestFailure) {
        let name =
            switch failure {
            case .unavailable: AccessoryInterface.bluetoothUnavailable
            case .notFound: AccessoryInterface.deviceNotFound
            case .failed: AccessoryInterface.pairingFailed
            case .untested: AccessoryInterface.testFailed
            case .bindKeyNeeded: AccessoryInterface.bindKeyNeeded
            }
        self.init(name, reason: failure.reason)
    }
}

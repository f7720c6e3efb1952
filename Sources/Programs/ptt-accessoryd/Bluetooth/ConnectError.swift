import DBus

/// Explains BlueZ's errors to the person who pairs a button, with what to do next.
enum ConnectError {
    /// Explains a failed `Connect`. If BlueZ has a bond (`isPaired`), the button has probably lost its own.
    static func explain(_ error: BusError, _ address: String, isPaired: Bool) -> String {
        let advice =
            switch error.name {
            case "org.bluez.Error.NotReady":
                "Bluetooth is switched off: `bluetoothctl power on`"
            case "org.bluez.Error.InProgress":
                "another program is connecting it: wait a moment, and try again"
            case _ where error.message.hasPrefix("br-connection"):
                "BlueZ tried Bluetooth Classic instead of Low Energy: disconnect the device elsewhere, and try again"
            case _ where isPaired:
                "the button may have lost its bond: `pttctl repair \(address)`"
            case _ where error.kind == .noReply:
                "it did not answer: press it to wake it up, keep it near, and disconnect it from other phones"
            default:
                "press it to wake it up, keep it near, and try again"
            }
        return "\(address) could not be connected: \(advice) (\(reason(error)))"
    }

    static func explainBond(_ error: BusError, _ address: String) -> String {
        let advice =
            switch error.name {
            case "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.AuthenticationRejected":
                "the button refused: put it into pairing mode; if it was paired before, `pttctl repair \(address)`"
            case "org.bluez.Error.AuthenticationCanceled", "org.bluez.Error.AuthenticationTimeout":
                "the button gave up: keep it near and awake, and try again"
            default:
                "put it into pairing mode, and try again"
            }
        return "\(address) could not be bonded: \(advice) (\(reason(error)))"
    }

    private static func reason(_ error: BusError) -> String {
        error.message.isEmpty ? error.name : error.message
    }
}

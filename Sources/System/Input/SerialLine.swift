import Glibc

/// A line that a serial port only reads. A switch connects one of them with a line that the port drives, DTR
/// or RTS.
package enum SerialLine: UInt16, CaseIterable, Sendable {
    case clearToSend, dataSetReady, carrierDetect, ringIndicator

    /// The kernel has no codes for lines. These are above those that it has for keys (`KEY_MAX`).
    package var key: KeyCode { KeyCode(rawValue: 0x300 + rawValue) }

    package init?(_ key: KeyCode) {
        guard let line = Self.allCases.first(where: { $0.key == key }) else { return nil }
        self = line
    }

    /// As on the plug.
    package var name: String {
        switch self {
        case .clearToSend: "CTS"
        case .dataSetReady: "DSR"
        case .carrierDetect: "DCD"
        case .ringIndicator: "RI"
        }
    }

    /// Its bit in `TIOCMGET` (ioctl_tty(2)).
    var bit: Int32 {
        switch self {
        case .clearToSend: TIOCM_CTS
        case .dataSetReady: TIOCM_DSR
        case .carrierDetect: TIOCM_CAR
        case .ringIndicator: TIOCM_RNG
        }
    }
}

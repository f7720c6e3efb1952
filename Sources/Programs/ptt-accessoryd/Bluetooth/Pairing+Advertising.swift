import AESCCM
import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import PTTMessages

extension BluetoothButtons {
    /// The accessory file of an enrolled device that advertises its presses. It names the file, since nothing
    /// of the device is known before its next press.
    func advertisingDefinition(_ enrolment: Enrolment?) -> AccessoryDefinition? {
        guard let definition = enrolment?.accessory.flatMap({ files.catalog[$0] }),
            case .advertisements = definition.input
        else { return nil }
        return definition
    }
}

extension Pairing {
    /// Checks the key, and waits until the presses of a device would be received: it is neither connected nor
    /// bonded.
    func prepareAdvertising(
        _ target: Target,
        _ definition: AccessoryDefinition
    ) async throws(RequestFailure) -> AccessoryDevice {
        let device = try device(target)
        if device.hasPrivateAddress { throw .failed(Self.cannotBeRecognised) }
        if let data = device.advertised { try checkKey(data, target) }
        enrolled.candidate?.accessory = definition.identifier
        let advertising = buttons.advertising
        _ = await buttons.changes.wait(for: Self.readyTimeout) {
            advertising[target.address]?.link == .ready || advertising.isUnsupported
        }
        let button = advertising[target.address]
        if let button, button.link == .ready { return button }
        throw .failed(button?.remark ?? "bluetoothd does not listen for its advertisements")
    }

    private func checkKey(_ data: [UInt8], _ target: Target) throws(RequestFailure) {
        do throws(BTHome.Failure) {
            _ = try BTHome.packet(
                data,
                from: target.address,
                key: enrolled.candidate?.bindKey,
                decrypt: AESCCM.decrypt
            )
        } catch {
            switch error {
            case .keyNeeded, .wrongKey: throw .bindKeyNeeded(error.reason)
            case .notEncrypted:
                throw .failed(
                    "it does not encrypt its presses any more: run `pttctl forget \(target.address)` first"
                )
            case .unknownFormat: throw .failed(error.reason)
            }
        }
    }
}

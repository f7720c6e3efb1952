import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages
import ServiceClient

/// Pairs a device, shows each step, and enrols it after one press and release of it was observed.
@EventLoop
final class PairingDialog {
    /// The choices of a person; nil keeps what is enrolled already, or leaves it to the accessory file.
    struct Choices: Sendable {
        var accessory: String?
        var mode: ButtonMode?
        var name: String?
    }

    private let address: String
    private let choices: Choices
    private let json: Bool
    private let stop: StopSignal
    private var connection: ServiceConnection?
    private var result: AccessoryInterface.PairAndTestReply?
    private var failure: (any Error)?

    init(address: String, choices: Choices, json: Bool, stop: StopSignal) {
        self.address = address
        self.choices = choices
        self.json = json
        self.stop = stop
    }

    /// Returns when presses of the device count.
    func run(seconds: Int) async throws {
        let identity = DeviceIdentity(bluetoothAddress: address)
        let earlier = try EnrolledDeviceFile.enrolment(of: identity)
        let request = AccessoryInterface.PairAndTestRequest(
            address: address,
            seconds: seconds,
            accessory: choices.accessory ?? earlier?.accessory,
            mode: choices.mode ?? earlier?.mode
        )
        let connection = try ServiceConnection.accessory()
        self.connection = connection
        connection.pairAndTest(
            request,
            { [self] in handle($0, earlier ?? Enrolment(identity)) },
            ended: { [self] in
                failure = failure ?? $0
                stop.trigger()
            }
        )
        await stop.wait()
        connection.close()
        if let failure { throw failure }
        guard let device = result?.device else {
            throw CommandError(localized("interrupted: nothing was enrolled"))
        }
        if !json { Terminal.print(localized("enrolled  \(Wording.line(device))")) }
    }

    private func handle(_ reply: AccessoryInterface.PairAndTestReply, _ earlier: Enrolment) {
        do {
            if json { try Terminal.print(reply) }
            switch reply.step {
            case .unknown: break
            case .connecting: show(localized("connecting \(address) …"))
            case .waitingForPress:
                show(localized("now press the talk button, and release it; nothing is transmitted"))
            case .waitingForRelease: show(localized("pressed; now release it"))
            case .waitingForWear:
                show(
                    localized(
                        "if it has earbuds, take one out and put it in again; press nothing for ten seconds"
                    )
                )
            case .tested: try enrol(reply, earlier)
            case .enrolled: result = reply
            }
        } catch {
            failure = error
            stop.trigger()
        }
    }

    private func enrol(_ reply: AccessoryInterface.PairAndTestReply, _ earlier: Enrolment) throws {
        var enrolment = earlier
        // A device may hide its address until it is bonded.
        if let identifier = reply.device?.identifier, identifier != address.uppercased() {
            let identity = DeviceIdentity(bluetoothAddress: identifier)
            if identity.bluetoothAddress != nil { enrolment.identity = identity }
        }
        enrolment.accessory = choices.accessory ?? earlier.accessory
        enrolment.name = choices.name ?? earlier.name
        enrolment.mode = reply.mode
        // The values before the first writing are those to write back.
        if earlier.restorations.isEmpty {
            enrolment.restorations = (reply.restore ?? []).compactMap(\.enrolled)
        }
        try EnrolledDeviceFile.set(enrolment)
        switch reply.device?.mode {
        case .toggle: show(localized("each press begins a transmission, or ends it (toggle)"))
        case .latch: show(localized("hold it to talk; after a tap it talks until the next press (latch)"))
        case .hold, .unknown, nil: break
        }
    }

    private func show(_ text: String) {
        if !json { Terminal.print(text) }
    }
}

extension Restoration {
    fileprivate var enrolled: Enrolment.Restoration? {
        guard let service = GattUUID(service), let characteristic = GattUUID(characteristic),
            let bits = [UInt8](hexadecimal: bits)
        else { return nil }
        return Enrolment.Restoration(
            GattAttribute(service: service, characteristic: characteristic),
            bits: bits
        )
    }
}
